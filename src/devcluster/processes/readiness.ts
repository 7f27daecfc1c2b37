// The readiness of a container that runs: at once, or by the answers to its `httpGet` probe, as the
// kubelet of a real cluster asks. Used by runtime.ts.
import { numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import type { ContainerRun } from '../plugins/contract.ts';

/** Calls back when it changes, first when it becomes ready. The returned function ends it. */
export function followReadiness(
  { container, podIP, clock }: ContainerRun,
  changed: (isReady: boolean) => void,
): () => void {
  const probe = objectAt(container, 'readinessProbe');
  const httpGet = objectAt(probe, 'httpGet');
  if (httpGet === undefined) return clock.at(clock.now(), () => changed(true));
  const url = `http://${podIP}:${portOf(container, httpGet['port'])}${pathOf(httpGet)}`;
  const seconds = (field: string, otherwise: number): number =>
    (numberAt(probe, field) ?? otherwise) * 1_000;
  const timeoutMs = seconds('timeoutSeconds', 1);
  let isReady = false;
  let failures = 0;
  let isOver = false;
  const look = async (): Promise<void> => {
    const isOk = await answersWell(url, timeoutMs);
    if (isOver) return;
    failures = isOk ? 0 : failures + 1;
    const isNow = isOk || (isReady && failures < (numberAt(probe, 'failureThreshold') ?? 3));
    if (isNow !== isReady) changed((isReady = isNow));
    cancel = clock.at(clock.now() + seconds('periodSeconds', 10), () => void look());
  };
  let cancel = clock.at(clock.now() + seconds('initialDelaySeconds', 0), () => void look());
  return () => {
    isOver = true;
    cancel();
  };
}

async function answersWell(url: string, timeoutMs: number): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' });
    await answer.body?.cancel();
    return answer.status >= 200 && answer.status < 400;
  } catch {
    return false;
  }
}

/** It may be named. */
export function portOf(container: JsonObject, port: Json | undefined): number | undefined {
  if (typeof port === 'number') return port;
  const named = objectsAt(container, 'ports').find((each) => textAt(each, 'name') === port);
  return numberAt(named, 'containerPort');
}

const pathOf = (httpGet: JsonObject): string => {
  const path = textAt(httpGet, 'path');
  return path.startsWith('/') ? path : `/${path}`;
};
