// What the bundle leaves out of packages, as nothing in it uses that: each would take megabytes of
// the memory of every process. Who adds a use meets an error that says so, or a missing export.
import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';

interface Replacement {
  readonly source: (name: string) => boolean;
  /** By the path of the file that imports it. */
  readonly importer: (file: string) => boolean;
  /** CommonJS. */
  readonly code: string;
}

const isOf = (name: string) => (file: string) => file.includes(`/node_modules/${name}/`);

export const isOfClientNode = isOf('@kubernetes/client-node');

const replacements: Readonly<Record<string, Replacement>> = {
  /** The packages by which client-node sends requests: proxies, OpenID, another undici. Ours reads
   *  kubeconfigs by it. */
  clients: {
    source: (name) => /^[a-z@]/.test(name) && name !== 'js-yaml' && !isBuiltin(name),
    importer: isOfClientNode,
    code: 'module.exports = {};',
  },
  /** All requests say `allowH2: false`. */
  http2: {
    source: (name) => name === 'node:http2',
    importer: isOf('undici'),
    code: `exports.constants = {};
exports.connect = () => { throw new Error('there is no HTTP/2 in the bundle: set allowH2 to false'); };`,
  },
  /** An import of it as a module reads all its exports, of which one loads the undici in Node. */
  http: {
    source: (name) => name === 'node:http',
    importer: (file) => !file.startsWith(prefix),
    code: `module.exports = require('node:http');`,
  },
};

const prefix = '\0lean:';

export const lean: Plugin = {
  name: 'lean',
  resolveId: (source, importer = '') => {
    const found = Object.entries(replacements).find(
      ([, one]) => one.source(source) && one.importer(importer),
    );
    return found === undefined ? null : `${prefix}${found[0]}`;
  },
  load: (id) => (id.startsWith(prefix) ? replacements[id.slice(prefix.length)]?.code : null),
};
