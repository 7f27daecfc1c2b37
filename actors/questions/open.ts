// Questions that an actor answers later, as its behaviour says: each is open until that intends an
// answer, the actor ends, crashes or is parked, or the time for it is over. Called by answers.ts,
// which hands questions over, by turns, which carry out answers, and by the supervisor.
import { payloadError, questions, type QuestionEvent } from '#machines/contract/question.ts';
import type { Limits } from '../limits.ts';
import type { Answer, Ask, Clock, Ids } from '../ports.ts';
import type { Actor } from '../run/actor.ts';

interface Parts {
  readonly limits: Limits;
  readonly ports: { clock: Clock; ids: Ids };
}

interface Open {
  readonly actor: Actor;
  readonly end: (answer: Answer) => void;
}

export class Questions {
  readonly #parts: Parts;
  readonly #open = new Map<string, Open>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Never rejects. `hand` gives the actor the event. */
  ask(
    actor: Actor,
    { question, payload }: Ask,
    hand: (event: QuestionEvent) => void,
  ): Promise<Answer> {
    const { limits, ports } = this.#parts;
    const schema = actor.behaviour.questions.get(question)?.payload;
    if (schema === undefined) return Promise.resolve(noSuch(actor, question));
    const error = payloadError(schema, payload);
    if (error !== undefined) return Promise.resolve(refused('MALFORMED', error));
    if (actor.mode !== 'alive') return Promise.resolve(gaveUp(actor, `is ${actor.mode}`));
    if (this.#open.size >= limits.openQuestions) {
      return Promise.resolve(refused('THROTTLED', `${limits.openQuestions} questions are open`));
    }
    const id = ports.ids.next();
    return new Promise((resolve) => {
      const end = (answer: Answer): void => {
        this.#open.delete(id);
        cancel();
        resolve(answer);
      };
      const cancel = ports.clock.at(ports.clock.now() + limits.answerMs, () => {
        end(gaveUp(actor, `has not answered within ${limits.answerMs} ms`));
        hand({ type: 'question.dropped', id });
      });
      this.#open.set(id, { actor, end });
      hand({ type: 'question.asked', question, id, payload });
    });
  }

  /** What an actor answers; to a question that is not its own, or is over, nothing. */
  answer(actor: Actor, id: string, answer: Answer): void {
    const open = this.#open.get(id);
    if (open?.actor === actor) open.end(answer);
  }

  /** What it was asked is forgotten. */
  forget(actor: Actor, why: string): void {
    for (const open of this.#open.values()) {
      if (open.actor === actor) open.end(gaveUp(actor, why));
    }
  }

  stop(): void {
    const answer = refused('STOPPING', 'the process is stopping');
    for (const { end } of this.#open.values()) end(answer);
  }
}

const refused = (code: 'MALFORMED' | 'THROTTLED' | 'STOPPING', message: string): Answer => ({
  ok: false,
  code,
  message,
});

const gaveUp = ({ id }: Actor, why: string): Answer => ({
  ok: false,
  code: 'SERVER_ERROR',
  message: `${id} ${why}: ask again`,
});

const noSuch = ({ key, behaviour }: Actor, question: string): Answer => {
  const known = [...questions, ...behaviour.questions.keys()].join(', ');
  return refused('MALFORMED', `a ${key.kind} has no question "${question}"; it answers ${known}`);
};
