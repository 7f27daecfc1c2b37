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
    '`outcome` of `coppice_writes_total`. The class determines what happens next: a `retry` is retried with',
    'back-off, a `terminal` error waits for a change of the spec or a long pause, and a `bug` crashes its actor, which the',
    'supervisor restarts or parks.',
    '',
    ...table(
      ['code', 'class', 'meaning'],
      Object.entries(errorTable).map(([code, row]) => [`\`${code}\``, row.class, row.meaning]),
    ),
  );
