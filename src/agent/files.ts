// The contents of the files that IMEX reads: its configuration, the nodes of the domain and the
// hosts file (spec compute-domain 3.2, 3.4). Pure; place.ts writes them.
import { AgentSetupError } from './settings.ts';
import type { Member } from './table.ts';

/** Of a slot, four digits, so that the order of texts is that of numbers (HC-33). */
export const slotName = (index: number): string =>
  `compute-domain-daemon-${String(index).padStart(4, '0')}`;

const anySlot = /\bcompute-domain-daemon-\d{4}/;

/** Where a name leads whose slot is free: nobody is there, and no DNS server is asked (HC-65). */
const nowhere = '127.0.0.2';

/** The nodes file with names: the same bytes at every node, and for ever. */
export const namedNodes = (maxNodes: number): string =>
  linesOf(Array.from({ length: maxNodes }, (_, index) => slotName(index)));

/** The nodes file with IPs, by index, so that all nodes have one order. */
export const plainNodes = (members: readonly Member[]): string =>
  linesOf(members.map(({ ip }) => ip));

const begin = '# coppice clique-agent: begin of the slots of the IMEX domain';
const end = '# coppice clique-agent: end';

/** The lines of the slots, every slot with one line. */
function slotLines(members: readonly Member[], maxNodes: number): readonly string[] {
  const ips = new Map(members.map(({ index, ip }) => [index, ip]));
  return Array.from(
    { length: maxNodes },
    (_, index) => `${ips.get(index) ?? nowhere}\t${slotName(index)}`,
  );
}

/**
 * The hosts file with our block as its last lines. All other lines stay as they are, but for such
 * as name a slot: another daemon left them, and of two lines the first would count.
 */
export function hostsFile(before: string, members: readonly Member[], maxNodes: number): string {
  const foreign = before
    .split('\n')
    .filter((line) => line !== begin && line !== end && !anySlot.test(line));
  while (foreign.at(-1) === '') foreign.pop();
  return linesOf([...foreign, begin, ...slotLines(members, maxNodes), end]);
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/**
 * The configuration from NVIDIA's template, in which a placeholder `{{ .Name }}` stands for our IP
 * where its name ends with `IP`, and for the path of the nodes file where it ends with `Path` or
 * `File`. Throws an AgentSetupError for any other.
 */
export function renderConfig(template: string, ip: string, nodesFile: string): string {
  return template.replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/g, (whole: string, name: string) => {
    if (/^\.\w*IP$/.test(name)) return ip;
    if (/^\.\w*(?:Path|File)$/.test(name)) return nodesFile;
    const right = 'a name that ends with IP, Path or File';
    throw new AgentSetupError(`the template of IMEX has ${whole}: ${right} would be right`);
  });
}
