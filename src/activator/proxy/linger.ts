// Closes the connection of a client that still sends when its answer is complete: it is told that
// no more is wanted, and what it has sent meanwhile is read for a while. A connection that is closed
// with unread bytes is reset, and the client might lose the answer with it (spec activator H-83).
import type { IncomingMessage } from 'node:http';

/** To be called before an answer with `connection: close` ends. */
export function lingerAfter(request: IncomingMessage, ms: number): void {
  const { socket } = request;
  // Node calls it at the end of a last answer.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), ms);
    socket.once('close', () => clearTimeout(timer));
    request.resume();
    socket.resume();
  };
}
