// docs/surface/licenses.txt: every package of the lockfile with its license.
import { type Locked, lockedPackages } from '#src/bundle/locked.ts';
import { page } from './page.ts';

const line = ({ name, version, license }: Locked): string =>
  `${name} ${version}: ${license === '' ? 'says none' : license}`;

export function renderLicenses(): string {
  const all = lockedPackages();
  return page(
    'for production',
    ...all.filter(({ isDevelopment }) => !isDevelopment).map(line),
    '',
    'for development',
    ...all.filter(({ isDevelopment }) => isDevelopment).map(line),
  );
}
