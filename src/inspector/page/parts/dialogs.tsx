// Dialogs of the browser itself, which keep focus and Escape right: the keys, a reason for a
// command, and the token.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf, post, tokenWanted, useToken } from '../core/api.ts';
import { restart } from '../core/feed.ts';
import { isHelpShown } from '../core/keys.ts';
import { pathOfActor } from '../core/route.ts';

interface DialogProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ label, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-label={label} onClose={onClose}>
      <h2>{label}</h2>
      {children}
    </dialog>
  );
}

const keys: readonly (readonly [string, string])[] = [
  ['/', 'search actors'],
  ['↑ ↓ or k j', 'one row up or down; PageUp, PageDown, Home, End'],
  ['→ ←', 'open and close a row of the tree, or go to its parent'],
  ['Enter', 'open the row'],
  ['w c h t m', 'of an actor: why, chart, history, data, mailbox'],
  ['p', 'pause, and go on'],
  ['g o', 'overview'],
  ['g a', 'actors'],
  ['g t', 'trouble'],
  ['g l', 'timeline'],
  ['g m', 'machines'],
  ['?', 'these keys'],
];

export function Help() {
  if (!isHelpShown.value) return null;
  const close = (): void => {
    isHelpShown.value = false;
  };
  return (
    <Dialog label="Keys" onClose={close}>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="acts">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}

const maxReason = 500;

export interface CommandProps {
  readonly id: string;
  readonly command: 'park' | 'unpark';
  readonly onClose: () => void;
}

export function CommandDialog({ id, command, onClose }: CommandProps) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const [isSent, setIsSent] = useState(false);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setIsSent(true);
    try {
      await post(`/actors/${pathOfActor(id)}/${command}`, { reason });
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setIsSent(false);
    }
  };
  return (
    <Dialog label={command === 'park' ? 'Park this actor' : 'Unpark this actor'} onClose={onClose}>
      <p class="id">{id}</p>
      <p>
        {command === 'park'
          ? 'Nothing is done for its object until somebody unparks it, or its spec changes.'
          : 'It starts anew from the objects as they are.'}{' '}
        An Event on the object tells who did it and why.
      </p>
      <form onSubmit={(event) => void send(event)}>
        <label>
          Reason
          <input
            name="reason"
            required
            maxLength={maxReason}
            autocomplete="off"
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="acts">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="main" disabled={isSent || reason.trim() === ''}>
            {command === 'park' ? 'Park' : 'Unpark'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Instead of the whole page. */
export function TokenForm() {
  const [given, setGiven] = useState('');
  const [problem, setProblem] = useState('');
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    try {
      await useToken(given.trim());
      restart();
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <main class="token">
      <h1>coppice</h1>
      <p class="problem" role="alert">
        {problem || tokenWanted.value}
      </p>
      <form onSubmit={(event) => void send(event)}>
        <label>
          Token
          <input
            name="token"
            type="password"
            required
            autocomplete="off"
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        </label>
        <button type="submit" class="main">
          Go on
        </button>
      </form>
      <p class="dim">
        In a cluster: a bearer token, as <code>kubectl create token NAME</code> prints it. With{' '}
        <code>npm start</code>: open the link that it prints.
      </p>
    </main>
  );
}
