// `npm run docs`: builds the documentation as a static site into dist/site, with search and without
// a link that leads nowhere; `-- --serve` shows it and rebuilds at every change.
import { fileURLToPath } from 'node:url';
import { build, createServer } from 'vitepress';

const here = fileURLToPath(new URL('.', import.meta.url));

async function main([flag, ...more]: readonly string[]): Promise<number> {
  if (more.length > 0 || (flag !== undefined && flag !== '--serve')) {
    process.stderr.write(`docs: ${[flag, ...more].join(' ')}: there is --serve\n`);
    return 2;
  }
  if (flag === undefined) {
    await build(here);
    return 0;
  }
  const server = await createServer(here);
  await server.listen();
  server.printUrls();
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
