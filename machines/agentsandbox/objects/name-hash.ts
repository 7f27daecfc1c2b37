// The hash of names that agent-sandbox puts into labels, which hold no more than 63 characters.
const utf8 = new TextEncoder();

/** FNV-1a of 32 bits over UTF-8, as 8 hex digits (spec agent-sandbox 1.6, R65). Two names may have
 *  the same one: who owns an object is told by its owner's UID alone (H1). */
export function nameHash(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of utf8.encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
