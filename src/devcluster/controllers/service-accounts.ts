// What each namespace gets from the cluster - the ServiceAccount `default` and the ConfigMap
// `kube-root-ca.crt` - and the filling of token Secrets: a Secret of type service-account-token
// receives token, ca.crt and namespace, and goes when its account goes.
import { objectAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import {
  asStored,
  isOk,
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  okOrGone,
  RetryLater,
  uidOf,
} from './client.ts';
import type { Controller, ControllerContext } from './options.ts';
import { WorkQueue } from './work-queue.ts';

const tokenType = 'kubernetes.io/service-account-token';
const accountAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';
const rootCaNote =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal' +
  ' endpoints such as the internal service IP or kubernetes.default.svc. No other usage is' +
  ' guaranteed across distributions of Kubernetes clusters.';

const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

export class ServiceAccounts implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stops: (() => void)[];
  /** Account key to the keys of its token Secrets. */
  readonly #secretsOf = new Map<string, Set<string>>();

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers } = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 8,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'service account upkeep failed', { key, error: String(error) }),
    });
    this.#stops = [
      informers.at('/api/v1/namespaces').listen({
        seen: (namespace) => this.#queue.add(`namespace:${nameOf(namespace)}`),
      }),
      informers.at('/api/v1/serviceaccounts').listen({
        seen: (account) => this.#addSecrets(account),
        gone: (account) => {
          this.#queue.add(`namespace:${namespaceOf(account)}`);
          this.#addSecrets(account);
        },
      }),
      informers.at('/api/v1/configmaps').listen({
        gone: (configMap) => this.#queue.add(`namespace:${namespaceOf(configMap)}`),
      }),
      informers.at('/api/v1/secrets').listen({
        seen: (secret) => this.#secretSeen(secret),
        gone: (secret) => this.#secretsOf.get(accountKey(secret))?.delete(keyOf(secret)),
      }),
    ];
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    for (const stop of this.#stops) stop();
  }

  #secretSeen(secret: Stored): void {
    if (textAt(secret, 'type') !== tokenType) return;
    const account = accountKey(secret);
    const secrets = this.#secretsOf.get(account) ?? new Set<string>();
    secrets.add(keyOf(secret));
    this.#secretsOf.set(account, secrets);
    this.#queue.add(`secret:${keyOf(secret)}`);
  }

  #addSecrets(account: Stored): void {
    for (const key of this.#secretsOf.get(keyOf(account)) ?? []) this.#queue.add(`secret:${key}`);
  }

  async #work(key: string): Promise<void> {
    const [what, name] = [key.slice(0, key.indexOf(':')), key.slice(key.indexOf(':') + 1)];
    if (what === 'namespace') await this.#equip(name);
    else await this.#fill(name);
  }

  async #equip(namespace: string): Promise<void> {
    const { informers, settings } = this.#context;
    const live = informers.at('/api/v1/namespaces').get(`/${namespace}`);
    if (live === undefined || isTerminating(live)) return;
    if (informers.at('/api/v1/serviceaccounts').get(`${namespace}/default`) === undefined) {
      await this.#create('ServiceAccount', namespace, 'default', {});
    }
    const certificate = settings.credentials?.caCertificate;
    const bundle = `${namespace}/kube-root-ca.crt`;
    if (certificate === undefined || informers.at('/api/v1/configmaps').get(bundle)) return;
    const annotations = { 'kubernetes.io/description': rootCaNote };
    await this.#create('ConfigMap', namespace, 'kube-root-ca.crt', {
      metadata: { name: 'kube-root-ca.crt', namespace, annotations },
      data: { 'ca.crt': certificate },
    });
  }

  async #create(kind: string, namespace: string, name: string, body: JsonObject): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;
    const object = { apiVersion: 'v1', kind, metadata: { name, namespace }, ...body };
    const answer = await this.#context.client.create(path, object);
    // 403, 404: the namespace is going; 409: someone was faster.
    if (isOk(answer) || [403, 404, 409].includes(answer.status)) return;
    throw new RetryLater(`${kind} ${name}`, answer);
  }

  async #fill(key: string): Promise<void> {
    const { informers, client, settings } = this.#context;
    const secret = informers.at('/api/v1/secrets').get(key);
    if (secret === undefined || isTerminating(secret)) return;
    const accounts = informers.at('/api/v1/serviceaccounts');
    if (!accounts.synced) throw new Error('the service accounts are not listed yet');
    const account = accounts.get(accountKey(secret)) ?? (await this.#readAccount(secret));
    const path = `/api/v1/namespaces/${namespaceOf(secret)}/secrets/${nameOf(secret)}`;
    const boundTo = textsAt(secret.metadata, 'annotations')[uidAnnotation];
    const isLost = account === undefined || (boundTo !== undefined && boundTo !== uidOf(account));
    if (isLost) {
      okOrGone('secret', await client.remove(path, uidOf(secret)));
      return;
    }
    const { credentials } = settings;
    const data = objectAt(secret, 'data') ?? {};
    if (credentials === undefined || (data['token'] !== undefined && boundTo !== undefined)) return;
    const token = credentials.issueToken({
      namespace: namespaceOf(secret),
      account: nameOf(account),
      accountUid: uidOf(account),
      secret: nameOf(secret),
    });
    const answer = await client.mergePatch(path, {
      metadata: { uid: uidOf(secret), annotations: { [uidAnnotation]: uidOf(account) } },
      data: {
        token: encode(token),
        'ca.crt': encode(credentials.caCertificate),
        namespace: encode(namespaceOf(secret)),
      },
    });
    okOrGone('token', answer);
  }

  /** One that the watch has not told of may be there all the same. */
  async #readAccount(secret: Stored): Promise<Stored | undefined> {
    const [namespace, name] = accountKey(secret).split('/');
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
    const answer = await this.#context.client.get(path);
    if (isOk(answer)) return asStored(answer.body);
    if (answer.status === 404) return undefined;
    throw new RetryLater('service account', answer);
  }
}

/** `namespace/name` of the account that a token Secret is for. */
const accountKey = (secret: Stored): string =>
  `${namespaceOf(secret)}/${textsAt(secret.metadata, 'annotations')[accountAnnotation] ?? ''}`;
