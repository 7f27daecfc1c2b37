// The sampler that `OTEL_TRACES_SAMPLER` names, asked once per trace: by the id alone, and by what
// the client has decided where it has begun the trace. Used by export.ts.
import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import type { SamplerSettings } from '../environment.ts';
import type { SpanTarget } from '../span.ts';

export function samplerOf({ name, ratio }: SamplerSettings): SpanTarget['isSampled'] {
  const sampler = makeSampler(name, ratio);
  return (traceId, spanName, parent) => {
    const context =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId: parent.traceId,
            spanId: parent.spanId,
            traceFlags: parent.isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
            isRemote: true,
          });
    const kind = SpanKind.INTERNAL;
    const { decision } = sampler.shouldSample(context, traceId, spanName, kind, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

function makeSampler(name: SamplerSettings['name'], ratio: number): Sampler {
  const parentBased = 'parentbased_';
  if (name.startsWith(parentBased)) {
    return new ParentBasedSampler({ root: rootSampler(name.slice(parentBased.length), ratio) });
  }
  return rootSampler(name, ratio);
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
