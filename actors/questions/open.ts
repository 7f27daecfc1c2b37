// Questions that an actor answers later, as its behaviour says: each is open until that intends an
// answer, the actor ends, crashes or is parked, or the time for it is over. Called by answers.ts,
// which hands questions over, by turns, which carry out answers, and by the supervisor.
import type { Behaviour } from '#machines/contract/behaviour.ts';
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

  /** Why no actor of the behaviour is asked this now; undefined: it may be asked. */
  refusal(behaviour: Behaviour, { question, payload }: Ask): Answer | undefined {
    const { openQuestions } = this.#parts.limits;
    const schema = behaviour.questions.get(question)?.payload;
    if (schema === undefined) return noSuch(behaviour, question);
    const error = payloadError(schema, payload);
    if (error !== undefined) return refused('MALFORMED', error);
    if (this.#open.size < openQuestions) return undefined;
    return refused('THROTTLED', `${openQuestions} questions are open`);
  }

  /** Never rejects. `hand` gives the actor the event. */
  ask(actor: Actor, ask: Ask, hand: (event: QuestionEvent) => void): Promise<Answer> {
    const { limits, ports } = this.#parts;
    const { question, payload } = ask;
    const refusal = this.refusal(actor.behaviour, ask);
    if (refusal !== undefined) return Promise.resolve(refusal);
    if (actor.mode !== 'alive') return Promise.resolve(gaveUp(actor, `is ${actor.mode}`));
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

  /** It has not answered all that it was asked. */
  isAsked(actor: Actor): boolean {
    for (const open of this.#open.values()) if (open.actor === actor) return true;
    return false;
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

const noSuch = ({ kind, questions: own }: Behaviour, question: string): Answer => {
  const known = [...questions, ...own.keys()].join(', ');
  return refused('MALFORMED', `a ${kind} has no question "${question}"; it answers ${known}`);
};
