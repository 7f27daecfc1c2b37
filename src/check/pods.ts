// Does the controller run, ready, in one version, alone? And can it read its configuration?
import { at, list, numberOf, text, word } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { epoch } from '#machines/kubernetes/time.ts';
import { isSuccess } from '#src/kube/errors.ts';
import { type Check, fine, type Finding, found, notLooked, read } from './finding.ts';

export const configurationCheck: Check = {
  title: 'configuration',
  run: ({ configured: { origin, problems } }) =>
    Promise.resolve(
      found(
        ...problems.map((problem): Finding => ({
          code: 'configuration-wrong',
          what: `${origin}: ${problem}`,
          hint: 'mend it as docs/configuration.md says; the controller ends with exit code 2',
        })),
      ),
    ),
};

export const podsCheck: Check = {
  title: 'pods of the controller',
  run: ({ pods, isInPods, version }) => {
    if (pods === undefined) return Promise.resolve(notLooked('pods may not be listed'));
    const [first] = pods;
    if (first === undefined && !isInPods) {
      return Promise.resolve(notLooked('the controller runs in no pod'));
    }
    if (first === undefined) {
      const what = 'no pod has the label app.kubernetes.io/name=coppice';
      const hint =
        'helm install coppice charts/coppice --namespace coppice-system --create-namespace';
      return Promise.resolve(found({ code: 'controller-missing', what, hint }));
    }
    return Promise.resolve(found(...pods.flatMap(notReady), ...versions(pods, version)));
  },
};

function notReady(pod: JsonObject): readonly Finding[] {
  const ready = list(at(pod, 'status', 'conditions')).find((one) => at(one, 'type') === 'Ready');
  if (at(ready, 'status') === 'True') return [];
  const name = `${text(at(pod, 'metadata', 'namespace'))}/${text(at(pod, 'metadata', 'name'))}`;
  const [state] = list(at(pod, 'status', 'containerStatuses'));
  const waiting = word(at(state, 'state', 'waiting', 'reason'));
  const exit = numberOf(at(state, 'lastState', 'terminated', 'exitCode'));
  const why = [
    waiting ?? word(at(ready, 'reason')) ?? word(at(pod, 'status', 'phase')) ?? 'no status',
    ...(exit === undefined ? [] : [`it ended with ${exit}`]),
  ].join(', ');
  const hint = exitHints[exit ?? -1] ?? reasonHints[waiting ?? ''] ?? describe(pod);
  return [{ code: 'controller-not-ready', what: `pod ${name} is not ready: ${why}`, hint }];
}

const describe = (pod: JsonObject): string =>
  `kubectl -n ${text(at(pod, 'metadata', 'namespace'))} describe pod ${text(at(pod, 'metadata', 'name'))}`;

const reasonHints: Readonly<Record<string, string>> = {
  ImagePullBackOff: 'set image.repository, image.tag and imagePullSecrets of the chart',
  ErrImagePull: 'set image.repository, image.tag and imagePullSecrets of the chart',
  CreateContainerConfigError: 'its ConfigMap or a Secret is missing: helm upgrade',
};

/** Exit codes of the controller (src/cli/commands.ts). */
const exitHints: Readonly<Record<number, string>> = {
  2: 'its configuration is wrong: read its log with kubectl logs --previous',
  4: 'it could not start: read its log with kubectl logs --previous',
  5: 'a scheduler of scheduler.profiles cannot work here: install it, or take it out',
  7: 'the cluster lacks CRDs of a module that is on: see the finding on CRDs, or turn it off',
};

/** Replicas of one image, and of the version of this command. */
function versions(pods: readonly JsonObject[], own: string): readonly Finding[] {
  const images = new Set(
    pods.map((pod) => text(at(list(at(pod, 'spec', 'containers'))[0], 'image'))),
  );
  if (images.size > 1) {
    const what = `the controller runs in several versions: ${[...images].join(', ')}`;
    const hint = 'wait for the end of its update: kubectl rollout status deployment';
    return [{ code: 'controller-versions', what, hint }];
  }
  const [, tag] = /:v?(\d+\.\d+\.\d+[\w.-]*)$/.exec([...images][0] ?? '') ?? [];
  if (tag === undefined || tag === own) return [];
  const what = `this command is of version ${own}, the controller of ${tag}`;
  return [{ code: 'controller-versions', what, hint: `install version ${tag} of the plugin` }];
}

/** Of the systems whose CRDs Coppice serves, the leases of their own controllers. */
const others = [
  { module: 'grove', lease: 'grove-operator-leader-election', what: "Grove's operator" },
  { module: 'agentsandbox', lease: 'a3317529.agent-sandbox.x-k8s.io', what: "agent-sandbox's" },
] as const;

export const othersCheck: Check = {
  title: 'other controllers of the same objects',
  run: async ({ transport, configured: { configuration }, clock }) => {
    const response = await read(transport, '/apis/coordination.k8s.io/v1/leases');
    if (!isSuccess(response)) return notLooked('leases of all namespaces may not be listed');
    const now = Date.parse(response.headers['date'] ?? '') || clock.now();
    const leases = list(at(response.body, 'items'));
    const findings = others
      .filter(({ module }) => configuration.modules[module])
      .flatMap(({ lease, what }): Finding[] => {
        const held = leases.find((one) => at(one, 'metadata', 'name') === lease);
        const seconds = numberOf(at(held, 'spec', 'leaseDurationSeconds')) ?? 15;
        const ageMs = now - (epoch(at(held, 'spec', 'renewTime')) ?? 0);
        if (held === undefined || ageMs > 2 * seconds * 1000) return [];
        const holder = text(at(held, 'spec', 'holderIdentity'));
        const where = `${text(at(held, 'metadata', 'namespace'))}/${lease}`;
        return [
          {
            code: 'another-controller',
            what: `${what} controller runs beside Coppice: ${holder} holds lease ${where}`,
            hint: 'both would write the same objects: scale it to 0, or turn the module off',
          },
        ];
      });
    return findings.length === 0 ? fine : found(...findings);
  },
};
