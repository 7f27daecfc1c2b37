// The parsers that read what others wrote: configuration, messages, requests, objects, reviews,
// certificates, log lines. Each is run as its caller runs it, on any text.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { Cache } from '#actors/mail/cache.ts';
import { Router } from '#actors/mail/router.ts';
import { decodeAnswer, decodeEnvelope, decodeFact, decodePayload } from '#bus/codec.ts';
import { readInbound } from '#bus/handlers.ts';
import { isKind } from '#machines/kinds.ts';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import { at, isObject } from '#machines/kubernetes/json.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import { amountOf } from '#machines/kubernetes/quantity.ts';
import { redactText } from '#machines/kubernetes/secret-text.ts';
import { durationMs, epoch } from '#machines/kubernetes/time.ts';
import { maxBodyDepth } from '#src/admission/limits.ts';
import { readBundle, readPair } from '#src/admission/certificates/bundle.ts';
import { defaultingPatch } from '#src/admission/defaults.ts';
import { decodeReview } from '#src/admission/review.ts';
import { adviseOn, findBindingErrors, findSetErrors } from '#src/admission/validate.ts';
import { viewSet } from '#src/admission/view.ts';
import { decodeText, defaultConfiguration } from '#src/config/decode.ts';
import { parseParents } from '#src/init/order.ts';
import { readFilter } from '#src/inspector/server/filters.ts';
import { prune } from '#src/kube/watch/prune.ts';
import { readLease } from '#src/leases/objects.ts';
import { moduleEdges } from '#src/modules/index.ts';
import { parsePlugin } from '#src/plugin/parse.ts';
import { readQuestion } from '#src/questions/question.ts';
import { baseSet, baseSettings } from '#test/admission/examples.ts';
import { root } from '#test/tidy/sources.ts';
import type { Target } from './fuzzer.ts';

const samples = ['simple', 'disaggregated', 'start-order', 'compute-domain', 'warm-pool'];

/** Objects as users write them, one JSON text each. */
const sampleObjects: readonly string[] = samples.flatMap((name) =>
  parseAllDocuments(readFileSync(`${root}/charts/coppice/samples/${name}.yaml`, 'utf8')).map(
    (document) => JSON.stringify(document.toJS()),
  ),
);

/** Undefined for what is not JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const configuration: Target = {
  name: 'configuration',
  seeds: [
    'apiVersion: coppice.dev/v1alpha1\nkind: CoppiceConfiguration\nbus:\n  enabled: false\n',
    'apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\nlogLevel: info\n',
    '{"apiVersion":"coppice.dev/v1alpha1","kind":"CoppiceConfiguration","shards":4}',
    'a: &a [x, y]\nb: &b [*a, *a]\n<<: *b\n',
  ],
  tokens: ['&a ', '*a', '<<: ', '? ', '!!binary ', '- ', '  ', 'modules:\n  grove: true\n', '|\n'],
  // Read once, before anything else is done: nothing is held up.
  limitMs: 2_000,
  run: decodeText,
};

const fact =
  '{"v":1,"id":"a-1","cause":"","trace":"a-1","at":1,"what":"transition","about":"podclique/a/b"}';

const messages: Target = {
  name: 'messages',
  seeds: [
    `coppice.ask.podclique.default.demo-0-w.why\n{"limit":20}`,
    `coppice.tell.0.podclique.default.demo-0-w\n${fact}`,
    `coppice.fact.podclique.default.demo.transition\n${fact}`,
  ],
  tokens: ['coppice.', 'ask.', 'tell.', '.', '>', '*', '"v":1', '"about":', '"data":{}', '\n'],
  run: (text) => {
    const [subject = '', ...rest] = text.split('\n');
    const bytes = Buffer.from(rest.join('\n'));
    readInbound(subject, bytes);
    for (const decode of [decodeFact, decodeEnvelope, decodePayload, decodeAnswer]) decode(bytes);
  },
};

const requests: Target = {
  name: 'requests',
  seeds: [
    'GET /why?kind=podclique&namespace=default&name=demo',
    'GET /history?kind=podcliqueset&namespace=a&name=b&limit=20',
    'POST /park?kind=podgang&namespace=a&name=b&reason=x',
  ],
  tokens: ['/state', '/trace', '?', '&', 'kind=', 'limit=', 'payload={}', '%2e', '//', 'text='],
  run: (text) => {
    const [method, url] = text.split(' ', 2);
    readQuestion({ method, url, headers: { authorization: `Bearer ${text}` } }, ['lend']);
    readFilter(new URLSearchParams(url?.split('?')[1]));
  },
};

const routes = moduleEdges.flatMap((edge) => edge.module(defaultConfiguration, '0.0.0').routes);

/** As a watch gives them to the actors. */
const objects: Target = {
  name: 'objects',
  seeds: [JSON.stringify(baseSet), ...sampleObjects],
  tokens: ['"metadata":{}', '"ownerReferences":[null]', '"status":{}', '"spec":null', '"uid":"u"'],
  run: (text) => {
    const raw = json(text);
    const kind = at(raw, 'kind');
    if (typeof kind !== 'string' || !isKind(kind)) return;
    const object = prune(kind, raw);
    if (object === undefined) return;
    const router = new Router(routes, {
      cache: new Cache({ tombstones: 1 }),
      refused: ({ malformed, error }) => {
        if (error !== undefined) throw new Error(malformed, { cause: error });
      },
    });
    router.route({ type: 'seen', kind, object });
  },
};

const review = (object: unknown): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', object },
  });

const settings = { ...baseSettings, topologyAware: true };

/** As a webhook answers them; deeper ones are refused before they are parsed. */
const reviews: Target = {
  name: 'reviews',
  seeds: [review(baseSet), ...sampleObjects.map((text) => review(JSON.parse(text)))],
  tokens: ['"podSpec":{}', '"cliques":[]', '"replicas":-1', '"4h0m0s"', '"nodeName":"n"', 'null'],
  run: (text) => {
    const body = json(text);
    if (isDeeper(body, maxBodyDepth)) return;
    const decoded = decodeReview(body);
    if (!decoded.ok) return;
    const { object } = decoded.request;
    const subject = { set: viewSet(object), settings, found: {} };
    fieldErrorTexts(findSetErrors(subject).map(({ error }) => error));
    adviseOn(subject);
    defaultingPatch(object);
    findBindingErrors({ binding: object, settings });
  },
};

/** What is shown of objects and texts. */
const masks: Target = {
  name: 'masks',
  seeds: [
    'Authorization: Bearer abc.def',
    'postgres://user:password@host/db?token=1',
    '-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----',
    '{"env":[{"name":"TOKEN","value":"x"}],"args":["--password","x"]}',
  ],
  tokens: ['token=', 'password: ', '://', '@', 'Bearer ', 'Basic ', 'eyJ', '.', '_', 'SU', '--key'],
  run: (text) => {
    redactText(text);
    const value = json(text);
    if (isObject(value)) masked(value);
  },
};

const words: Target = {
  name: 'words',
  seeds: ['100m', '1.5Gi', '4h0m0s', '2026-01-01T00:00:00Z', 'worker:2,prefill:1', 'get pcs -A'],
  tokens: ['Ki', 'e3', 'h', 'ms', 'T', 'Z', '+01:00', ':', '--output', '-n', ' ', '=', 'ns'],
  run: (text) => {
    amountOf(text);
    durationMs(text);
    epoch(text);
    parseParents(text.split(','));
    parsePlugin(text.split(' '));
    readLease(json(text));
  },
};

/** Of Secrets and files. */
const certificates: Target = {
  name: 'certificates',
  seeds: [
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    '-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n',
  ],
  tokens: ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '\n', 'MII', '====='],
  run: (text) => {
    readBundle(text);
    readPair({ cert: text, key: text });
  },
};

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

export const targets: readonly Target[] = [
  configuration,
  messages,
  requests,
  objects,
  reviews,
  masks,
  words,
  certificates,
];
