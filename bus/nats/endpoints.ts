// The endpoints of the micro service: one for each question, so that statistics tell them apart and
// permissions to publish can, and one for whatever else is asked, so that a word that is wrong is
// answered with what would be right. Used by service.ts.
import type { Answer } from '#actors/ports.ts';
import { statusOf } from '#bus/answers.ts';
import { busLimits } from '#bus/limits.ts';
import { answerSchema, payloadSchema } from '#bus/schemas.ts';
import { askSubjects, subjectsOf } from '#bus/subjects.ts';
import type { Question } from '#machines/contract/question.ts';

export const queueGroup = 'coppice';
const nanosPerMs = 1_000_000;

interface EndpointInfo {
  readonly name: string;
  readonly subject: string;
  readonly queue_group: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const others: EndpointInfo = {
  name: 'ask',
  subject: subjectsOf.ask,
  queue_group: queueGroup,
  metadata: {
    description: 'any other question; the answer says which there are',
    subject: 'coppice.ask.<kind>.<namespace>.<name>.<question>',
  },
};

class Endpoint {
  readonly info: EndpointInfo;
  #requests = 0;
  #errors = 0;
  #lastError = '';
  #totalMs = 0;

  constructor(info: EndpointInfo) {
    this.info = info;
  }

  answered(answer: Answer, ms: number): void {
    this.#requests++;
    this.#totalMs += ms;
    if (answer.ok) return;
    this.#errors++;
    this.#lastError = `${statusOf[answer.code]}:${headerText(answer.message)}`;
  }

  get statistics() {
    const { name, subject, queue_group } = this.info;
    const nanos = this.#totalMs * nanosPerMs;
    return {
      name,
      subject,
      queue_group,
      num_requests: this.#requests,
      num_errors: this.#errors,
      last_error: this.#lastError,
      processing_time: Math.round(nanos),
      average_processing_time: Math.round(nanos / Math.max(1, this.#requests)),
    };
  }
}

/** Live as long as their process. */
export class Endpoints {
  readonly #others = new Endpoint(others);
  readonly #byQuestion = new Map<string, Endpoint>();

  /** These are asked; statistics of those that were known go on. */
  serve(questions: ReadonlyMap<string, Question>): void {
    for (const [name, question] of questions) {
      if (!this.#byQuestion.has(name)) this.#byQuestion.set(name, endpointOf(name, question));
    }
  }

  answered(subject: string, answer: Answer, ms: number): void {
    const question = subject.slice(subject.lastIndexOf('.') + 1);
    (this.#byQuestion.get(question) ?? this.#others).answered(answer, ms);
  }

  get info(): readonly EndpointInfo[] {
    return this.#all.map(({ info }) => info);
  }

  get statistics() {
    return this.#all.map(({ statistics }) => statistics);
  }

  get #all(): readonly Endpoint[] {
    return [...this.#byQuestion.values(), this.#others];
  }
}

const endpointOf = (name: string, question: Question): Endpoint =>
  new Endpoint({
    name,
    subject: askSubjects(name),
    queue_group: queueGroup,
    metadata: {
      description: question.description,
      payload: payloadSchema(name, question),
      answer: answerSchema(name),
    },
  });

/** A header is one line of printable ASCII. */
export const headerText = (text: string): string =>
  text
    .slice(0, busLimits.maxErrorText)
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim() || 'error';
