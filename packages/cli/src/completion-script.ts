export const SHELLS = ['bash', 'zsh', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];
export const isShell = (text: string): text is Shell => SHELLS.some((each) => each === text);

/** `words`: what can follow each command, by the names of the commands, separated by spaces. */
export function completionScript(shell: Shell, words: ReadonlyMap<string, readonly string[]>): string {
  return { bash, zsh, powershell }[shell](words);
}

type Words = ReadonlyMap<string, readonly string[]>;

const cases = (words: Words): string =>
  [...words].map(([path, each]) => `    '${path}') words='${each.join(' ')}' ;;`).join('\n');

/** The longest beginning of the line that is a command decides what can follow. */
const bash = (words: Words): string => `# placard completion for bash: source <(placard completion bash)
_placard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    _placard_words "\${path:+$path }$word" || break
    path="\${path:+$path }$word"
  done
  _placard_words "$path"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_placard_words() {
  case "$1" in
${cases(words)}
    *) return 1 ;;
  esac
}
complete -o default -F _placard placard
`;

const zsh = (words: Words): string => `#compdef placard
# placard completion for zsh: source <(placard completion zsh)
autoload -Uz bashcompinit && bashcompinit
${bash(words)}`;

const powershell = (
  words: Words,
): string => `# placard completion for PowerShell: placard completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName placard -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${[...words].map(([path, each]) => `    '${path}' = '${each.join(' ')}'`).join('\n')}
  }
  $path = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $word = $element.ToString()
    if ($word.StartsWith('-')) { continue }
    $next = "$path $word".Trim()
    if (-not $words.ContainsKey($next)) { break }
    $path = $next
  }
  $words[$path].Split(' ') | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
