// Why a module cannot start on this cluster. Thrown by the preflight of modules; src/cli/exit.ts
// has the exit codes.

/** A scheduler backend that is enabled cannot work with this cluster: exit code 5. */
export class BackendError extends Error {
  override readonly name = 'BackendError';
}

/** The cluster lacks what the configuration asks for: exit code 7. */
export class PrerequisiteError extends Error {
  override readonly name = 'PrerequisiteError';
}
