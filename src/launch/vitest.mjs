// Vitest, as the scripts start it: an unknown flag is a sentence and the exit code 2, where vitest
// itself ends with the stack of its own parser.
import { pathToFileURL } from 'node:url';

try {
  // The launcher starts tools in the checkout. By its name vitest exports no command.
  await import(pathToFileURL('node_modules/vitest/vitest.mjs').href);
} catch (error) {
  if (!(error instanceof Error) || error.name !== 'CACError') throw error;
  console.error(`vitest: ${error.message}; see node_modules/.bin/vitest --help`);
  process.exitCode = 2;
}
