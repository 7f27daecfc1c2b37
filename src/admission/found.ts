// What had to be looked up in the cluster before the rules of an object can be judged. The webhooks
// gather it first, so that every rule is a pure function.

/** A ClusterTopologyBinding, as far as the rules need it. */
export type FoundBinding =
  /** Domains of its levels, broadest first. */
  | { readonly is: 'there'; readonly domains: readonly string[] }
  | { readonly is: 'missing' }
  | { readonly is: 'unknown'; readonly why: string };

/** A Volcano Queue. */
export type FoundQueue =
  | { readonly is: 'there'; readonly state: string }
  | { readonly is: 'missing' }
  | { readonly is: 'unknown'; readonly why: string };

/** By name; what no rule asks for is absent. */
export interface Found {
  readonly bindings?: Readonly<Record<string, FoundBinding>>;
  readonly queues?: Readonly<Record<string, FoundQueue>>;
}
