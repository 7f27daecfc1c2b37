// The child's end of child.ts: answers each question by the function of its name, and ends the
// process when the starter is gone.

export interface Ask {
  readonly id: number;
  readonly question: string;
  readonly value: unknown;
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

export type Answers = Readonly<Record<string, (value: never) => unknown>>;

/** Both ends are of one commit, so the values are what the types say. */
export function serve(answers: Answers): void {
  const tell = (answer: Answer): void => {
    if (process.connected) process.send?.(answer);
  };
  process.on('message', (message) => {
    const { id, question, value } = message as Ask;
    void (async () => {
      try {
        tell({ id, value: await answers[question]?.(value as never) });
      } catch (error) {
        tell({
          id,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        });
      }
    })();
  });
  process.on('disconnect', () => process.exit());
}
