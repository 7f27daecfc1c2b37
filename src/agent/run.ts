// `coppice clique-agent`: the control half of NVIDIA's compute-domain daemon. It joins its clique,
// follows its rows and keeps IMEX beside it; who has which index is decided elsewhere, and nothing
// is written when it leaves (docs/clique-agent.md).
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { connectionOfPod, PodSetupError } from '#src/init/pod.ts';
import { systemClock as clock, systemRandom as random } from '#src/time/clock.ts';
import { announce } from './announce.ts';
import { spawnChild } from './child.ts';
import { follow } from './follow.ts';
import { agentTransport } from './https.ts';
import type { AgentTransport } from './https.ts';
import type { JoinBus } from './join.ts';
import { Membership } from './join.ts';
import { lineLog } from './log.ts';
import type { AgentLog } from './log.ts';
import { writeConfig, writePeers } from './place.ts';
import { placeOfRows, Rows } from './rows.ts';
import { AgentSetupError, readSettings } from './settings.ts';
import type { AgentSettings } from './settings.ts';
import { Supervisor } from './supervisor.ts';

const write = (line: string): void => void process.stderr.write(line);

/** Resolves with the exit code: 0 after a signal, 2 where something is missing at the start. */
export async function runCliqueAgent(version: string): Promise<number> {
  const stopped = stopSignal();
  // Signals alone do not keep a process alive that has nothing else to wait for.
  const alive = setInterval(() => {}, 60_000);
  try {
    const settings = readSettings(process.env);
    const log = lineLog(settings.isVerbose, clock.now, write);
    const who = 'the service account of the pod provides it';
    const connection = await connectionOfPod(settings.files.root, clock, process.env, who);
    const transport = agentTransport(connection, `coppice-clique-agent/${version}`);
    await (settings.cliqueID === ''
      ? idle(settings, transport, log, stopped)
      : serve(settings, transport, log, stopped));
    transport.close();
    log('info', 'ended', {});
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof AgentSetupError) && !(error instanceof PodSetupError)) throw error;
    lineLog(false, clock.now, write)('error', error.message, {});
    return exitCodes.configuration;
  } finally {
    clearInterval(alive);
  }
}

/** The node has no fabric: nothing to run, and the controller reports it (HC-20). */
async function idle(
  settings: AgentSettings,
  transport: AgentTransport,
  log: AgentLog,
  stopped: Promise<unknown>,
): Promise<void> {
  const abort = new AbortController();
  log('info', 'no clique: nothing to do', { node: settings.node });
  void announce(settings, { transport, clock, random, log }, abort.signal);
  await stopped;
  abort.abort();
}

async function serve(
  settings: AgentSettings,
  transport: AgentTransport,
  log: AgentLog,
  stopped: Promise<unknown>,
): Promise<void> {
  writeConfig(settings);
  const { node, clique, hasNames, imex } = settings;
  log('info', 'clique agent', { node, clique, maxNodes: settings.maxNodes, hasNames });
  const supervisor = new Supervisor({
    clock,
    log,
    spawn: spawnChild(imex),
    output: (line) => void process.stdout.write(`${line}\n`),
    write: (plan) => writePeers(settings, plan),
    hasNames,
  });
  const rows = new Rows(settings, {
    log,
    hand: (plan) => supervisor.hand(plan),
    looked: (isThere) => membership.look(isThere),
  });
  const membership = new Membership({
    clock,
    random,
    log,
    connect: connector(settings, log),
    announce: (signal) => announce(settings, { transport, clock, random, log }, signal),
    joined: (found) => rows.joined(found),
  });
  const seen = (object: unknown): void => rows.seen(object);
  const place = placeOfRows(settings);
  const unfollow = follow({ transport, clock, random, log, ...place, seen });
  membership.start();
  await stopped;
  log('info', 'stopping', {});
  membership.stop();
  unfollow();
  // Last: whoever reads the rows relies on IMEX being gone when this process is.
  await supervisor.close();
}

/** The client of NATS is loaded after the first request, and only where there is one to ask. */
function connector(settings: AgentSettings, log: AgentLog): (() => Promise<JoinBus>) | undefined {
  const { nats } = settings;
  if (nats === undefined) return undefined;
  return async () => {
    const { natsBus } = await import('./nats.ts');
    return natsBus(nats, settings, { clock, random, log });
  };
}
