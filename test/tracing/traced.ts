// The fixture system with a tracer, and the spans that it has built. For tests of the tracer.
import { spanIdOf, traceIdOf } from '#bus/trace-ids.ts';
import type { Fact } from '#actors/ports.ts';
import type { FinishedSpan, SpanTarget } from '#src/tracing/span.ts';
import { Tracer } from '#src/tracing/tracer.ts';
import { stage, type StageOptions } from '../actors/fixtures/stage.ts';

type Sampled = SpanTarget['isSampled'];

export function traced(isSampled: Sampled = () => true, options: StageOptions = {}) {
  const spans: FinishedSpan[] = [];
  const asked: Parameters<Sampled>[] = [];
  let tracer: Tracer | undefined;
  const world = stage({
    ...options,
    reconciles: {
      began: (...given) => tracer?.began(...given),
      ended: (...given) => tracer?.ended(...given),
    },
  });
  let ids = 0;
  tracer = new Tracer({
    clock: world.clock,
    ids: { next: () => `s${++ids}` },
    target: {
      isSampled: (...given) => {
        asked.push(given);
        return isSampled(...given);
      },
      take: (span) => void spans.push(span),
    },
  });
  world.system.history.subscribe(tracer.fact);
  world.system.synced();
  return {
    world,
    spans,
    asked,
    named: (name: string): readonly FinishedSpan[] => spans.filter((span) => span.name === name),
    /** That of a fact. */
    of: ({ id }: Fact): FinishedSpan | undefined =>
      spans.find(({ spanId }) => spanId === spanIdOf(id)),
    traceOf: ({ trace }: Fact): readonly FinishedSpan[] =>
      spans.filter(({ traceId }) => traceId === traceIdOf(trace)),
  };
}

export type Traced = ReturnType<typeof traced>;

export function only<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined || items.length > 1) throw new Error(`there are ${items.length}`);
  return first;
}
