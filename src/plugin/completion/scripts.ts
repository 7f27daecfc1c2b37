// The scripts that `kubectl coppice completion` prints. Each asks the program itself what may come
// next (complete.ts), so none of them knows a command or a kind.
import { PluginError } from '../errors.ts';

const bash = `# bash completion of kubectl-coppice:
#   source <(kubectl coppice completion bash)
_kubectl_coppice() {
  local line IFS=$'\\n' directive=0
  local -a candidates=()
  while read -r line; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      *) candidates+=("$line") ;;
    esac
  done < <(kubectl-coppice __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=("\${candidates[@]}")
  [[ "$directive" == 4 ]] || compopt -o default
}
complete -F _kubectl_coppice kubectl-coppice
`;

const zsh = `#compdef kubectl-coppice
# zsh completion of kubectl-coppice:
#   source <(kubectl coppice completion zsh)
_kubectl_coppice() {
  local line directive=0
  local -a candidates
  for line in "\${(@f)$(kubectl-coppice __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :*) directive="\${line#:}" ;;
      ?*) candidates+=("$line") ;;
    esac
  done
  compadd -a candidates
  [[ "$directive" == 4 ]] || _files
}
compdef _kubectl_coppice kubectl-coppice
`;

const fish = `# fish completion of kubectl-coppice:
#   kubectl coppice completion fish | source
function __kubectl_coppice
  set -l words (commandline -opc) (commandline -ct)
  kubectl-coppice __complete $words[2..-1] 2>/dev/null | string match -v -r '^:'
end
complete -c kubectl-coppice -f -a '(__kubectl_coppice)'
`;

const powershell = `# PowerShell completion of kubectl-coppice:
#   kubectl coppice completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'kubectl-coppice' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -eq '') { $words += '' }
  & kubectl-coppice __complete @words 2>$null |
    Where-Object { $_ -notlike ':*' } |
    ForEach-Object {
      [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
    }
}
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish, powershell };

export const shells: readonly string[] = Object.keys(scripts);

/** Throws for a shell that is none of them. */
export function completionScript(shell: string): string {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script !== undefined) return script;
  throw new PluginError('usage', `"${shell}" is no shell of ours; there is ${shells.join(', ')}`);
}
