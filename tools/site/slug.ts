// The anchor of a heading as GitHub makes it, so that a link to a chapter holds in the repository
// and on the site; test/tidy/links.ts checks links by it.
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');
