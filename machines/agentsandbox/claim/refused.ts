// What a claim asks for and does not get before it, or its template, is changed: it is told so in
// its condition Ready, and nothing is tried again (R28).

export interface Refused {
  readonly isRefused: true;
  /** Of the condition. */
  readonly reason: 'EnvVarsInjectionRejected' | 'VolumeClaimTemplatesError' | 'ReconcilerError';
  readonly message: string;
}

export const refused = (reason: Refused['reason'], message: string): Refused => ({
  isRefused: true,
  reason,
  message,
});

export const isRefused = (value: object): value is Refused => 'isRefused' in value;
