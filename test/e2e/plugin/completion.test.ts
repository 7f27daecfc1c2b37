// Completion in real shells: each loads the script that the plugin prints, and completes a line to
// what the cluster has. bash is in embedded.test.ts, as it is everywhere.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { without } from '#test/support/tools.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';
import { PluginStage } from './stage.ts';

const namespace = 'completed';
const patient = { timeout: 120_000 };
/** Names of the cluster are left out where it takes long to answer. */
const limitMs = 60_000;
/** What is typed, and what a press of the tab key makes of it. */
const lines: readonly (readonly [string, string])[] = [
  ['kubectl-coppice supp', 'kubectl-coppice support-bundle'],
  [`kubectl-coppice why -n ${namespace} pcs de`, `kubectl-coppice why -n ${namespace} pcs demo`],
  [`kubectl-coppice get -n ${namespace} pcs/de`, `kubectl-coppice get -n ${namespace} pcs/demo`],
  ['kubectl-coppice get -n compl', `kubectl-coppice get -n ${namespace}`],
  ['kubectl-coppice get --out', 'kubectl-coppice get --output'],
];

describe('Completion', () => {
  const stage = new PluginStage();
  beforeAll(async () => {
    await stage.start();
    await createNamespace(stage.place.client, namespace);
    await createSet(stage.place.client, namespace, { name: 'demo', replicas: 1 });
  }, 90_000);
  afterAll(() => stage.end());

  // As a person types: in an interactive zsh, whose line editor takes the keys one after the other.
  // Ctrl-A goes to the start of the line, where it becomes something that prints it.
  const noZsh = without('zsh', 'script');
  test.skipIf(noZsh !== '')(`works in zsh${noZsh}`, patient, async () => {
    const typed = [
      'bindkey -e; autoload -U compinit; compinit -u -D',
      'source <(kubectl-coppice completion zsh)',
      ...lines.map(([line]) => `${line}\t\u0001print -r -- "<\u0005>"`),
      'exit 0',
    ];
    const file = join(stage.place.folder, 'typed.zsh');
    writeFileSync(file, `${typed.join('\n')}\n`);
    const type = () => stage.ok(`script -qec 'zsh -f -i' /dev/null < ${file}`);
    const isDone = (said: string): boolean =>
      lines.every(([, completed]) => new RegExp(`^<${completed} ?>`, 'm').test(said));
    expect(await eventually('completed', type, isDone, limitMs)).toContain('support-bundle');
  });

  const noFish = without('fish');
  test.skipIf(noFish !== '')(`works in fish${noFish}`, patient, async () => {
    const file = join(stage.place.folder, 'complete.fish');
    const asked = lines.map(([line]) => `complete -C '${line}'`);
    writeFileSync(file, ['kubectl-coppice completion fish | source', ...asked, ''].join('\n'));
    const words = lines.map(([, line]) => line.split(' ').at(-1)).join('\n');
    const ask = () => stage.ok(`fish --no-config ${file}`);
    const isDone = (said: string): boolean => said.trimEnd() === words;
    expect(await eventually('completed', ask, isDone, limitMs)).toContain('support-bundle');
  });
});
