// What the actors of ComputeDomains depend on besides objects: the driver's flags, as the
// configuration has them (docs/compute-domains.md has the table).
import type { ConfiguredInput } from '../contract/behaviour.ts';
import type { JsonObject } from '../kubernetes/objects.ts';

/** How agents reach NATS. */
export interface AgentNats {
  /** Addresses; empty: agents announce themselves on their pods. */
  readonly servers: readonly string[];
  /** Secrets of the driver namespace, with `nats.creds` and with `ca.crt`; empty: none. */
  readonly credentialsSecret: string;
  readonly caSecret: string;
}

export interface NvidiaSettings {
  /** Where DaemonSets are made. */
  readonly driverNamespace: string;
  /** Where older installations may have left some. */
  readonly additionalNamespaces: readonly string[];
  /** `hostManaged`: IMEX runs on the host; no daemons, no cliques, no node labels. */
  readonly mode: 'driverManaged' | 'hostManaged';
  /** Of new DaemonSets: how many nodes a clique may have, 1 to 10,000. */
  readonly maxNodes: number;
  readonly image: string;
  readonly imagePullSecrets: readonly string[];
  readonly logVerbosity: number;
  /** Of the daemons' container; their first word is the program. */
  readonly command: readonly string[];
  /** Of the clique agent, where it is the command. */
  readonly agent: AgentNats;
  /** By name, for the daemons; rows are in cliques where `ComputeDomainCliques` is not false. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Empty: none. */
  readonly priorityClassName: string;
  /** Requests and limits of daemon pods, which are equal, so that they are of the class
   *  Guaranteed; empty: none. */
  readonly resources: JsonObject;
  /** At least this long between two writes of the status of a domain. */
  readonly statusIntervalMs: number;
}

export type NvidiaInput = ConfiguredInput<NvidiaSettings>;

/** False: daemons list themselves in the status of their domain, and only ours is in a clique. */
export const hasCliques = ({ featureGates }: NvidiaSettings): boolean =>
  featureGates['ComputeDomainCliques'] !== false;

/** Our own daemon, under whatever path it is in the image. */
export const isCliqueAgent = (program: string): boolean =>
  program.split('/').at(-1) === 'clique-agent';

/** Those in which daemons may be. */
export const isOfDriver = (
  { driverNamespace, additionalNamespaces }: NvidiaSettings,
  namespace: string,
): boolean => namespace === driverNamespace || additionalNamespaces.includes(namespace);
