// Stands in for nvidia-imex-ctl: prints what the stand-in for IMEX in the folder says of itself.
import { connect } from 'node:net';
import { join } from 'node:path';

connect(join(process.argv[2] ?? '.', 'imex.sock')).pipe(process.stdout);
