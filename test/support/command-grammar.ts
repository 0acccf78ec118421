import fc from 'fast-check'

/** Programs that exist as recording stubs; the fuzzer's rules deny the last two. */
export const STUBS = ['alpha', 'beta', 'gamma', 'bad', 'worse'] as const
export const DENIED_STUBS = ['bad', 'worse'] as const

const program = fc.constantFrom(...STUBS)
const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n ')
const name = program.chain((stub) =>
  fc.constantFrom(
    stub,
    `'${stub}'`,
    `"${stub}"`,
    `\\${stub}`,
    `${stub.slice(0, 1)}''${stub.slice(1)}`,
    `${stub.slice(0, 2)}\\${stub.slice(2)}`,
    `"${stub.slice(0, 2)}"${stub.slice(2)}`,
    `$'${stub}'`,
    `$'\\x${stub.charCodeAt(0).toString(16)}${stub.slice(1)}'`,
    `$'\\${stub.charCodeAt(0).toString(8).padStart(3, '0')}'${stub.slice(1)}`,
    `{${stub},x}`,
    `${stub.slice(0, -1)}{${stub.slice(-1)},}`,
    `$(echo ${stub})`,
    `\`echo ${stub}\``,
    `${stub.slice(0, 1)}\\\n${stub.slice(1)}`,
    `\${none:-${stub}}`,
    `./bin/${stub}`,
    `./bin/${stub.slice(0, -1)}?`,
    `./bin/${stub.slice(0, 1)}*`,
  ),
)
const plainWord = fc.constantFrom(
  'a',
  '-n',
  "'b c'",
  '"d e"',
  'x=1',
  '--',
  "';'",
  '"&&"',
  '\\;',
  '#c',
  "'#'",
  '*.txt',
  '~',
  '""',
  "$'\\n'",
  'a#b',
  '{}',
  '!',
  '%1',
)

/** Options of programs that start others, in all their variants. */
const wrapperWithOptions = fc.constantFrom(
  'env -a x',
  'env --argv0=x',
  'env -i -- A=1',
  'env -uA B=2',
  'env - PATH=$PATH',
  'env --debug',
  'nice -5',
  'nice --adjustment=1',
  'nice --adj 1',
  'nice --',
  'timeout -- 5',
  'timeout -k1 5',
  'timeout --sig KILL 5',
  'timeout --preserve-status -s INT 5',
  'setsid --wait',
  'setsid -cw',
  'stdbuf --output L',
  'stdbuf --out=L -i0',
  'nohup --',
  'time -p --',
  'time IFS=x',
  'time -p A+=1 B=2',
  'command -p --',
  'exec -la x',
  'echo a | xargs --max-lines',
  'echo a | xargs --replace',
  'echo a | xargs -l',
  'echo a | xargs -n 1 -t --',
  'echo a | xargs --max-a 1',
  'echo a | xargs -I{} -P 2',
)

/** Words that builtins evaluate; `%` is replaced with a program. */
const evaluated = fc.constantFrom(
  "declare 'a[$(%)]=1'",
  "export 'a[$(%)]=1'",
  "read 'a[$(%)]' <<< y",
  "printf -v 'a[$(%)]' y",
  "[[ -v 'a[$(%)]' ]]",
  "test -v 'a[$(%)]'",
  "let 'a[$(%)]=1'",
  "unset 'a[$(%)]'",
  "x='a[$(%)]'; b[x]=1",
  "x='a[$(%)]'; b=([x]=1)",
  "x='a[$(%)]'; [[ x -eq 1 ]]",
  "read x <<< 'a[$(%)]'; echo $((x))",
  "f() { echo $(($1)); }; f 'a[$(%)]'",
  "env x='a[$(%)]' bash -c 'echo $((x))'",
  "bash -c 'echo $(($1))' _ 'a[$(%)]'",
  "echo ${a['$(%)']}",
  "x='$(%)'; echo ${x@P}",
  "PS4='$(%)'; set -x; alpha",
  'for x in %; do $x; done',
  'read x <<< %; $x',
  'set -- %; "$@"',
  'f() { "$@"; }; f %',
  'echo() { %; }; echo x',
  'sh 0<<< %',
  "echo 'x; %' | xargs -I{} sh -c 'echo {}'",
  "bash -O extglob -c '%'",
)

const sedCommand = fc.constantFrom(
  'p',
  'd',
  '$!N',
  '=',
  's/x/y/',
  's,a/b,c,g',
  'y/ab/cd/',
  ':a',
  'ta',
  'b',
  '/[/]/p',
  '1,2p',
  '{p',
  '}',
  'a x',
  'i\\\ny',
  'c z',
  'r f',
  '#n',
  '\\,x,p',
)
const sedSeparator = fc.constantFrom(';', '\n', ' ; ')
/** Sed scripts that end in a command which runs a program, if the part before it allows that. */
const sedScript = fc
  .tuple(
    fc.array(fc.tuple(sedCommand, sedSeparator), { maxLength: 4 }),
    fc.constantFrom('1e %', '$e %', 's/a/%/e', 's|a|%|ge', 'e %', '/a/ e %', '1,1{e %\n}'),
  )
  .map(([before, last]) => before.flat().join('') + last)

interface Grammar {
  command: string
  word: string
  simple: string
  list: string
}

/** Commands built from nested forms of bash; small enough to run thousands of them. */
export const command = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => ({
  word: fc.oneof(
    { weight: 8, arbitrary: plainWord },
    { weight: 1, arbitrary: tie('list').map((list) => `$(${list})`) },
    { weight: 1, arbitrary: tie('list').map((list) => `"$(${list})"`) },
    { weight: 1, arbitrary: tie('simple').map((simple) => (simple.includes('`') ? 'a' : `\`${simple}\``)) },
    { weight: 1, arbitrary: tie('list').map((list) => `<(${list})`) },
    { weight: 1, arbitrary: tie('simple').map((simple) => `\${none:-$(${simple})}`) },
    { weight: 1, arbitrary: tie('list').map((list) => `$((1 + $(${list} | wc -c)))`) },
    { weight: 1, arbitrary: fc.constantFrom("'$(bad)'", '"\\$(bad)"', "'`worse`'", '"; bad"', "'\n'bad", '"a\nbad"') },
  ),
  simple: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(name, fc.array(fc.tuple(blank, tie('word')), { maxLength: 3 }))
      .map(([program_, words]) => program_ + words.map(([gap, word]) => gap + word).join('')),
    fc
      .tuple(
        fc.constantFrom(
          'env',
          'nohup',
          'nice',
          'nice -n 1',
          'time',
          'timeout 5',
          'command',
          'exec',
          'setsid -w',
          'stdbuf -oL',
          'env A=1',
          'builtin command',
          'env -u A',
          'A=1',
          'PATH=$PATH',
          'IFS=x',
          '!',
          'echo a | xargs',
          'find . -maxdepth 0 -exec',
        ),
        tie('simple'),
      )
      .map(([wrapper, inner]) => (wrapper.startsWith('find') ? `${wrapper} ${inner} \\;` : `${wrapper} ${inner}`)),
    tie('list').map((list) => (list.includes("'") ? `eval "${list.replace(/["\\$`]/g, '\\$&')}"` : `sh -c '${list}'`)),
    tie('list').map((list) => `bash -c "${list.replace(/["\\$`]/g, '\\$&')}"`),
    tie('list').map((list) => (list.includes("'") ? 'alpha' : `eval '${list}'`)),
    tie('list').map((list) => (list.includes("'") ? 'alpha' : `trap '${list}' EXIT`)),
    tie('list').map((list) => `echo "${list.replace(/["\\$`]/g, '\\$&')}" | sh`),
    tie('list').map((list) => `bash <<'EOF'\n${list}\nEOF\n`),
    tie('simple').map((simple) => `cat <<EOF\n$(${simple})\nEOF\n`),
    tie('simple').map((simple) => (simple.includes('`') ? 'beta' : `cat <<-EOF\n\t\`${simple}\`\n\tEOF\n`)),
    tie('list').map((list) => `cat <<'EOF'\n${list}\nEOF\n`),
    tie('simple').map((simple) => `cat <<EOF && ${simple}\nx\nEOF\n`),
    tie('word').map((word) => `cat <<< ${word}`),
    tie('simple').map((simple) => `> out ${simple} 2>&1`),
    tie('simple').map((simple) => `v="${simple.replace(/["\\$`]/g, '\\$&')}"; $v`),
    fc.tuple(program, tie('word')).map(([stub, word]) => `alias alpha=${stub}; alpha ${word}`),
    program.map((stub) => `shopt -s expand_aliases\nalias alpha=${stub}\nalpha`),
    program.map((stub) => `x='a[$(${stub})]'; echo $((x))`),
    program.map((stub) => `awk 'BEGIN{system("${stub}")}'`),
    program.map((stub) => `sed '1e ${stub}' a.txt`),
    program.map((stub) => `printf '${stub}' | xargs -I{} {}`),
    program.map((stub) => `hash -p ./bin/${stub} alpha; alpha`),
    fc.tuple(wrapperWithOptions, tie('simple')).map(([wrapper, inner]) => `${wrapper} ${inner}`),
    fc.tuple(evaluated, program).map(([form, stub]) => form.replace('%', stub)),
    fc
      .tuple(fc.constantFrom('sed', 'sed -n', 'sed -E -e', 'sed -s --expression'), sedScript, program)
      .map(([sed, text, stub]) => `${sed} '${text.replace('%', stub)}' a.txt`),
  ),
  list: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('simple'),
    fc
      .tuple(
        tie('simple'),
        fc.constantFrom(' && ', ' || ', '; ', ' | ', ' |& ', '\n', ' & ', ' &&\n', '|', ';'),
        tie('list'),
      )
      .map((parts) => parts.join('')),
    tie('list').map((list) => `( ${list}\n)`),
    tie('list').map((list) => `{ ${list}\n}`),
    fc.tuple(tie('list'), tie('list')).map(([test, then]) => `if ${test}\nthen ${then}\nfi`),
    fc.tuple(tie('word'), tie('list')).map(([word, body]) => `for i in ${word}; do ${body}\ndone`),
    tie('list').map((body) => `while ${body}\nfalse; do :; done`),
    fc.tuple(tie('word'), tie('list')).map(([word, body]) => `case ${word} in *) ${body}\n;; esac`),
    tie('list').map((body) => `f() { ${body}\n}; f`),
    tie('list').map((body) => `alpha # ${body.split('\n')[0]}`),
    tie('list').map((body) => `[[ -n $(${body}\n) ]]`),
  ),
  command: tie('list'),
})).command
