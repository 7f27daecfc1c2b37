// The image as umoci unpacks it, and programs that run in it: with nothing but its files, as its
// user, in a chroot on the network of this machine. Needs root.
import { chownSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { entrypoint, environment, makeImage, user } from '#src/bundle/image.ts';
import { shell, without } from '#test/support/tools.ts';

const missing = without('umoci', 'ldd', 'chroot');

/** Empty, or for the end of a title: why there is no image here. */
export const imageSkip =
  missing !== '' ? missing : process.getuid?.() === 0 ? '' : ' [skipped: not root]';

/** Of this machine, and nothing of the image. */
const unset = ['NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE', 'NODE_OPTIONS'];

export class Unpacked {
  readonly folder = mkdtempSync(join(tmpdir(), 'coppice-image-'));
  readonly root = join(this.folder, 'unpacked', 'rootfs');

  async start(): Promise<void> {
    const image = await makeImage(this.folder);
    const target = join(this.folder, 'unpacked');
    const { code, stderr } = await shell(`umoci unpack --image ${image} ${target}`);
    if (code !== 0) throw new Error(stderr);
  }

  /** Of the layout: what the image is called by its content. */
  digest(): string {
    const index: unknown = JSON.parse(readFileSync(join(this.folder, 'oci/index.json'), 'utf8'));
    return text(at(list(at(index, 'manifests'))[0], 'digest'));
  }

  /** The runtime's configuration that comes with the files. */
  config(): unknown {
    return JSON.parse(readFileSync(join(this.folder, 'unpacked', 'config.json'), 'utf8'));
  }

  /** Words of a command that runs what the image runs; files of this machine among the arguments
   *  are copied to its /tmp. */
  command(...args: readonly string[]): readonly [program: string, args: readonly string[]] {
    const within = args.map((arg) => (existsSync(arg) ? this.#copied(arg) : arg));
    const chroot = ['chroot', `--userspec=${user}:${user}`, this.root];
    const variables = [...unset.flatMap((name) => ['-u', name]), ...environment];
    return ['env', [...variables, ...chroot, ...entrypoint, ...within]];
  }

  #copied(path: string): string {
    const name = join('/tmp', basename(path));
    copyFileSync(path, join(this.root, name));
    chownSync(join(this.root, name), user, user);
    return name;
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
