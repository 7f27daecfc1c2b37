// The minimal pipe with the activator's admission in front, at cc 0: what of the difference between
// the pipe and ours is admission, and what is the rest of the request path.
import { admittedPipe } from '../admitted-pipe.ts';
import { given } from './given.ts';
import { found, planeOf } from './plane.ts';

const { port, backends } = given();
const plane = planeOf(backends, 0);
admittedPipe(() => found(plane)).listen(port, '127.0.0.1');
