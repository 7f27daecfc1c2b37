// Parts of undici that are loaded without the rest, which brings no types for them. The whole takes
// 2 MB more of the memory of a process (decision 0057): fetch, caches, mocks.
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
