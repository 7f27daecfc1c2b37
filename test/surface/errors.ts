// The error table: docs/errors.md for people, a flat list for the diff.
import { errorTable } from '#machines/contract/errors.ts';
import { generatedBy, page, table } from './page.ts';

export const renderErrors = (): string =>
  page(...Object.entries(errorTable).map(([code, row]) => `${code} ${row.class}`));

export const errorsPage = (): string =>
  page(
    '# Error codes',
    '',
    generatedBy('machines/contract/errors.ts'),
    '',
    'Every failure has one of these codes: in logs, in the fact `wrote`, in the answer to `why` and as',
    '`outcome` of `coppice_writes_total`. The class says what happens next: `retry` is tried again with',
    'back-off, `terminal` waits for a change of the spec, `bug` crashes its actor, which the supervisor',
    'starts again or parks.',
    '',
    ...table(
      ['code', 'class', 'meaning'],
      Object.entries(errorTable).map(([code, row]) => [`\`${code}\``, row.class, row.meaning]),
    ),
  );
