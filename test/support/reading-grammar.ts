import fc from 'fast-check'

/** Programs with some commands that need no approval, and long options that make them do more. */
const PROGRAMS: readonly [string, string][] = [
  ['cat', '--show-all --number'],
  ['head', '--lines=2 --bytes=5'],
  ['tail', '--lines=2 --retry'],
  ['wc', '--files0-from=.env --lines'],
  [
    'sort',
    '--output=out --o=out --compress-program=./script.sh --files0-from=.env ' +
      '--reverse --random-source=.env --temporary-directory=.',
  ],
  ['uniq', '--count --repeated'],
  ['cut', '--fields=1 -d:'],
  ['paste', '--serial'],
  ['comm', '--total'],
  ['cmp', '--verbose'],
  ['diff', '--from-file=.env --to-file=.env --brief --recursive --unified --no-dereference'],
  [
    'grep',
    '--file=.env --regexp=. --rege=. ' +
      '--recursive --dereference-recursive --include=* --exclude-from=.env --directories=recurse -e',
  ],
  [
    'rg',
    '--pre=./script.sh --hidden --no-ignore -uu --file=.env ' +
      '--hostname-bin=./script.sh --files --follow --ignore-file=.env -g.env',
  ],
  ['sed', '-n --quiet --in-place --expression=p --file=.env 1p wout s/a/b/wout e'],
  ['find', '-name -delete -exec -fprint -newer -follow -L -print -type f d * \\; {} cat -files0-from -ls -maxdepth 1'],
  ['ls', '--recursive --all --dereference'],
  ['tree', '-o --fromfile'],
  ['du', '--files0-from=.env --exclude-from=.env --all'],
  ['stat', '--format=%n --dereference'],
  ['file', '--files-from=.env --magic-file=.env --compile --uncompress --brief'],
  ['md5sum', '--check --binary'],
  ['od', '--traditional -An -c'],
  ['xxd', '-r -p -c 8 -revert -b -ps'],
  ['hexdump', '-C -f'],
  ['strings', '@.env -n 4'],
  ['jq', '. env $ENV .a --rawfile --slurpfile -f --from-file -L --arg --args'],
  ['column', '-t --table'],
  ['date', '--set=x --file=.env --reference=a.txt +%F --date=now 010100002030 -s'],
  ['id', 'root'],
  ['hostname', 'x -i -F'],
  ['ps', 'e aux -ef axeww -o pid,args'],
  ['lsof', '-i@localhost -i :80 -n -P'],
  ['realpath', '--relative-to=.'],
  ['readlink', '-f'],
  ['printf', '%s\\n %n -v'],
  ['test', '-f -v = -eq'],
  ['xargs', '-a --arg-file=.env -I{} echo cat sh -c grep printf -n1'],
  ...(
    'status log show diff branch tag remote stash reflog grep blame cat-file ' +
    'ls-files ls-tree rev-parse rev-list describe shortlog for-each-ref show-ref'
  )
    .split(' ')
    .map((name): [string, string] => [
      `git ${name}`,
      `--output=out --ext-diff --textconv --no-index -p --patch --stat --name-only --cached --oneline -O./script.sh --open-files-in-pager=./script.sh
      -d -D -m --contents=.env --batch HEAD~0 :0:.env HEAD:.env HEAD:src/a.ts --all -- list show --format=%G? --show-signature drop expire`,
    ]),
]
const COMMON =
  `a.txt b.txt src safe . src/a.ts safe/f.txt package.json HEAD .env ./.env ../outside/secret.txt link link/secret.txt .keys/id_rsa *.txt .e*
  src/* - -- +x +1 out foo K= 1 1p "" 'ab' "$HOME" ~ /etc/hostname ../* /proc/self/environ @.env $x {a,b}.txt <a.txt <.env 2>&1 >/dev/null`.split(
    /\s+/,
  )
const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.split(''))
const cluster = fc
  .tuple(
    fc.array(letter, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('', '', '', '', '.env', '.', '1', '=.env', 'out'),
  )
  .map(([letters, value]) => `-${letters.join('')}${value}`)

const simple = fc
  .constantFrom(...PROGRAMS)
  .chain(([program, own]) =>
    fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...COMMON) },
          { weight: 2, arbitrary: fc.constantFrom(...own.split(/\s+/)) },
          { weight: 2, arbitrary: cluster },
        ),
        { maxLength: 4 },
      )
      .map((words) => [program, ...words].join(' ')),
  )

/** Command lines that look as if they only read, and sometimes do not. */
export const readingCommand = fc.oneof(
  { weight: 6, arbitrary: simple },
  {
    weight: 2,
    arbitrary: fc.tuple(simple, fc.constantFrom(' | ', '; ', ' && ', ' || '), simple).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: simple.map((inner) => `echo "$(${inner})"`) },
  { weight: 1, arbitrary: simple.map((inner) => `cat <(${inner})`) },
  { weight: 1, arbitrary: simple.map((inner) => `ls | xargs ${inner}`) },
  { weight: 1, arbitrary: simple.map((inner) => `cd src && ${inner}`) },
  { weight: 1, arbitrary: simple.map((inner) => `for f in a.txt b.txt; do ${inner}; done`) },
)
