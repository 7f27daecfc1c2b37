// The ports of a Sandbox's Service, by those that the containers of its pod template name (spec
// agent-sandbox 2.1.6).
import { count, isObject, list, text, word } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';

interface Port {
  readonly port: number;
  readonly protocol: string;
  /** As the first container says that has one for it. */
  name: string | undefined;
}

/** Of the containers that run along with the others. */
export function servicePorts(podSpec: JsonObject): readonly JsonObject[] {
  const containers = list(podSpec['containers']).filter(isObject);
  const sidecars = list(podSpec['initContainers'])
    .filter(isObject)
    .filter(({ restartPolicy }) => restartPolicy === 'Always');
  const ports = portsOf([...containers, ...sidecars]);
  const taken = new Set(ports.flatMap(({ name }) => name ?? []));
  return ports
    .toSorted((a, b) => a.port - b.port || (a.protocol < b.protocol ? -1 : 1))
    .map(({ port, protocol, name }) => ({
      name: name ?? madeName(port, protocol, taken),
      port,
      protocol,
      targetPort: port,
    }));
}

function portsOf(containers: readonly JsonObject[]): readonly Port[] {
  const ports = new Map<string, Port>();
  const names = new Map<string, string>();
  for (const one of containers.flatMap(({ ports: all }) => list(all)).filter(isObject)) {
    const port = count(one['containerPort']) ?? 0;
    if (port === 0) continue;
    const protocol = text(one['protocol']) || 'TCP';
    const pair = `${port}/${protocol}`;
    const known = ports.get(pair) ?? { port, protocol, name: undefined };
    ports.set(pair, known);
    const name = word(one['name']);
    if (name === undefined || known.name !== undefined || names.has(name)) continue;
    known.name = name;
    names.set(name, pair);
  }
  return [...ports.values()];
}

function madeName(port: number, protocol: string, taken: Set<string>): string {
  const base = `p-${port}-${protocol.toLowerCase()}`;
  let name = base;
  for (let more = 2; taken.has(name); more++) name = `${base}-${more}`;
  taken.add(name);
  return name;
}
