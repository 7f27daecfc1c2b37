// What `agent_sandbox_build_info` says of this process. Its labels are those of a Go program: here
// `go_version` has the version of Node.js, with its name, and `compiler` its engine. Called by
// edge.ts.

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Commit and date are not known: there is no build step. */
export const buildInfo = (version: string): Readonly<Record<string, string>> => ({
  git_version: version,
  git_commit: 'unknown',
  build_date: 'unknown',
  go_version: `node ${process.version}`,
  compiler: 'v8',
  platform: `${process.platform}/${architectures[process.arch] ?? process.arch}`,
});
