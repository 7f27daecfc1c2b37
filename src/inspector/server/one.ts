// One actor: its state, why, and history, and the commands to it. Each is a question, which the
// process that owns the actor answers, wherever it was asked; there it is reviewed again, in the
// name of the same user.
import type { Answer, Ask, HandOn } from '#actors/ports.ts';
import { refusal, statusOf } from '#bus/answers.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { isErrorCode } from '#machines/contract/errors.ts';
import { isCommand } from '#machines/contract/question.ts';
import { isActorKind, isClusterScoped, objectKind } from '#machines/kinds.ts';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { masked } from '#src/inspector/mask.ts';
import { handingOn, type QuestionForm } from '#src/questions/handing-on.ts';
import { maxNameLength } from '#src/questions/limits.ts';
import type { Call, Handle, Inspected } from './call.ts';
import { maxReasonLength } from './limits.ts';
import { anyPlace, malformed, numberIn, wrongParameters } from './query.ts';
import type { Reply } from './replies.ts';

/** Stands for the namespace of what has none. */
const noNamespace = '-';

const historyBounds = { least: 1, most: 500 } as const;
const usualHistory = 100;

/** `more`: of the query, as a payload; or why it is refused. */
const questionOf =
  (inspected: Inspected, question: string, payloadOf: (call: Call) => JsonObject | Reply): Handle =>
  async (call) => {
    const about = readKey(call.named);
    if ('ok' in about) return about;
    const payload = payloadOf(call);
    if (isReply(payload)) return payload;
    const refused = await inspected.access.refusal(call.viewer, about, verbOf(question));
    if (refused !== undefined) return refused;
    const { user } = call.viewer;
    if (isCommand(question) && question !== 'history') {
      const { log } = inspected.process;
      log('info', 'a command was given over the inspector', {
        question,
        about: actorId(about),
        user,
      });
    }
    return ask(inspected, call, { about, question, payload });
  };
