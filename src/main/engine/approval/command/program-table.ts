import { valued, type Use } from './operand-use'

/** How the arguments of a program are read. */
export interface Program {
  operands: Use
  /** What the first operand is when it differs from the others: a pattern, a mode, an archive. */
  first?: Use
  /** What the last operand is when there is more than one. */
  last?: Use
  /** Options that take a value, and what the value is. Short ones can be combined, long ones abbreviated. */
  values?: Readonly<Record<string, Use>>
  /** Options that replace the first operand, so that the first operand is a path like the others. */
  firstIsPath?: readonly string[]
  /** Walks folders: always, or with one of these options (`-r`). */
  tree?: true | readonly string[]
  /** Options that make it follow links during the walk. */
  follows?: readonly string[]
  /** Without operands, it uses the current folder. */
  here?: true
  /** What operands are when one of these options is present (`sed -i`). */
  instead?: { options: readonly string[]; operands: Use }
}

const READS: Program = { operands: 'read' }

const NAMES: Program = { operands: 'names' }

const WRITES: Program = { operands: 'write' }

const GREP: Program = {
  operands: 'read',
  first: 'none',
  firstIsPath: ['-e', '--regexp', '-f', '--file', '--files'],
  values: valued(
    '-e -A -B -C -m -d -D --regexp --after-context --before-context ' +
      '--context --max-count --include --exclude --exclude-dir --label --color',
    {
      '-f': 'read',
      '--file': 'read',
      '--exclude-from': 'read',
    },
  ),
  tree: ['-r', '-R', '--recursive', '--dereference-recursive'],
  follows: ['-R', '--dereference-recursive'],
  here: true,
}

const RIPGREP: Program = {
  operands: 'read',
  first: 'none',
  firstIsPath: ['-e', '--regexp', '-f', '--file', '--files', '--type-list'],
  values: valued(
    '-e -A -B -C -m -g -t -T -M -j -d -E -r --regexp --after-context --before-context ' +
      '--context --max-count --glob --iglob --type --type-not --max-columns ' +
      '--threads --max-depth --encoding --replace --sort --color --colors',
    {
      '-f': 'read',
      '--file': 'read',
      '--ignore-file': 'read',
    },
  ),
  tree: true,
  follows: ['-L', '--follow'],
  here: true,
}

const MODE: Program = {
  operands: 'write',
  first: 'none',
  values: { '--reference': 'names' },
  firstIsPath: ['--reference'],
  tree: ['-R', '--recursive'],
}

const COPY: Program = {
  operands: 'read',
  last: 'write',
  values: valued('-S --suffix -m -o -g --mode --owner --group', { '-t': 'write', '--target-directory': 'write' }),
  tree: ['-r', '-R', '-a', '--recursive', '--archive'],
  follows: ['-L', '--dereference', '-H'],
}

const HEAD: Program = {
  operands: 'read',
  values: valued('-n -c -s --lines --bytes --sleep-interval --pid --max-unchanged-stats'),
}

const SUM: Program = { operands: 'read' }

const EDITOR: Program = { operands: 'write', values: valued('-c --cmd', { '-S': 'read', '-u': 'read', '-w': 'write' }) }

const COMPRESS: Program = {
  operands: 'write',
  values: valued('-S --suffix'),
  tree: ['-r', '--recursive'],
  instead: { options: ['-c', '--stdout', '-l', '-t'], operands: 'read' },
}

/** What common programs do with the paths in their arguments. */
export const PROGRAMS: Readonly<Record<string, Program>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(
    (
      'cat tac nl paste fold fmt rev column expand unexpand comm cmp od hexdump xxd strings less ' +
      'more bat batcat file base64 base32 zcat bzcat xzcat zless look iconv wc cut uniq tsort hd ' +
      'ptx cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum csplit jq yq'
    )
      .split(' ')
      .map((name): [string, Program] => [name, name.endsWith('sum') ? SUM : READS]),
  ),
  ...Object.fromEntries(
    'stat realpath readlink test [ [[ cd pushd locate basename dirname lsof namei mountpoint'
      .split(' ')
      .map((name): [string, Program] => [name, NAMES]),
  ),
  ...Object.fromEntries(
    'tee touch truncate mkdir rmdir unlink mkfifo sponge shred'
      .split(' ')
      .map((name): [string, Program] => [name, WRITES]),
  ),
  ...Object.fromEntries(
    'vi vim nvim view ed ex nano pico emacs'.split(' ').map((name): [string, Program] => [name, EDITOR]),
  ),
  ...Object.fromEntries('grep egrep fgrep zgrep ugrep'.split(' ').map((name): [string, Program] => [name, GREP])),
  ...Object.fromEntries('chmod chown chgrp chattr setfacl'.split(' ').map((name): [string, Program] => [name, MODE])),
  ...Object.fromEntries(
    'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress'
      .split(' ')
      .map((name): [string, Program] => [name, COMPRESS]),
  ),
  ...Object.fromEntries(
    (
      ': true false echo printf seq sleep kill date uname whoami id exit return ' +
      'set shift export unset read type which command hash jobs wait ulimit umask'
    )
      .split(' ')
      .map((name): [string, Program] => [name, { operands: 'none' }]),
  ),
  mknod: { operands: 'none', first: 'write' },
  touch: { operands: 'write', values: valued('-d -t --date --time', { '-r': 'names', '--reference': 'names' }) },
  truncate: { operands: 'write', values: valued('-s --size', { '-r': 'names', '--reference': 'names' }) },
  mkdir: { operands: 'write', values: valued('-m --mode') },
  rm: { operands: 'write', tree: ['-r', '-R', '--recursive'] },
  mv: {
    operands: 'write',
    tree: true,
    values: valued('-S --suffix', { '-t': 'write', '--target-directory': 'write' }),
  },
  cp: COPY,
  install: { ...COPY, instead: { options: ['-d', '--directory'], operands: 'write' } },
  ln: { ...COPY, tree: [] },
  scp: { ...COPY, values: valued('-c -F -i -J -l -o -P -S -X -D'), tree: ['-r'] },
  rsync: {
    ...COPY,
    tree: true,
    values: valued('-e -B -T -f --rsh --exclude --include --filter --chmod --chown --port --bwlimit', {
      '--exclude-from': 'read',
      '--include-from': 'read',
      '--files-from': 'read',
      '--password-file': 'read',
      '--log-file': 'write',
      '--backup-dir': 'write',
      '--temp-dir': 'write',
    }),
  },
  sed: {
    operands: 'read',
    first: 'none',
    firstIsPath: ['-e', '--expression', '-f', '--file'],
    values: valued('-e --expression -l --line-length', { '-f': 'read', '--file': 'read' }),
    instead: { options: ['-i', '--in-place'], operands: 'write' },
  },
  perl: {
    operands: 'read',
    first: 'none',
    values: valued('-e -E -M -m -I'),
    firstIsPath: ['-e', '-E'],
    instead: { options: ['-i'], operands: 'write' },
  },
  awk: {
    operands: 'read',
    first: 'none',
    values: valued('-F -v --field-separator --assign', { '-f': 'read', '--file': 'read' }),
    firstIsPath: ['-f', '--file'],
  },
  head: HEAD,
  tail: HEAD,
  sort: {
    operands: 'read',
    values: valued('-k -t -S -T --key --field-separator --buffer-size --parallel --sort --batch-size', {
      '-o': 'write',
      '--output': 'write',
      '-T': 'write',
      '--files0-from': 'read',
    }),
  },
  uniq: { operands: 'read', last: 'write', values: valued('-f -s -w --skip-fields --skip-chars --check-chars') },
  diff: {
    operands: 'read',
    values: valued('-U -C -I -W -x --label --unified --context --exclude --ignore-matching-lines', {
      '--to-file': 'read',
      '--from-file': 'read',
    }),
    tree: ['-r', '--recursive'],
  },
  patch: {
    operands: 'write',
    values: valued('-p -F -D -B -z --strip --fuzz', {
      '-i': 'read',
      '--input': 'read',
      '-o': 'write',
      '--output': 'write',
      '-d': 'write',
      '--directory': 'write',
      '-r': 'write',
    }),
  },
  split: {
    operands: 'write',
    first: 'read',
    values: valued('-b -l -n -a -C --bytes --lines --number --suffix-length --additional-suffix'),
  },
  tr: { operands: 'none' },
  ls: {
    operands: 'names',
    tree: ['-R', '--recursive'],
    follows: ['-L', '--dereference'],
    values: valued('-I -w -T --ignore --hide --width --color --sort --time'),
    here: true,
  },
  dir: { operands: 'names', tree: ['-R', '--recursive'], here: true },
  tree: {
    operands: 'names',
    tree: true,
    follows: ['-l'],
    values: valued('-L -P -I --charset --filelimit', { '-o': 'write', '--output': 'write' }),
    here: true,
  },
  du: {
    operands: 'names',
    tree: true,
    follows: ['-L', '--dereference'],
    values: valued('-d -t -B --max-depth --threshold --exclude --block-size', {
      '--files0-from': 'read',
      '-X': 'read',
    }),
    here: true,
  },
  rg: RIPGREP,
  ag: { ...RIPGREP, follows: ['-f', '--follow'] },
  ack: RIPGREP,
  fd: {
    operands: 'names',
    first: 'none',
    tree: true,
    follows: ['-L', '--follow'],
    values: valued('-e -t -E -d -g --extension --type --exclude --max-depth'),
    here: true,
  },
  zip: { operands: 'read', first: 'write', tree: ['-r', '--recurse-paths'], follows: [], values: valued('-x -i -b') },
  unzip: { operands: 'none', first: 'read', values: valued('-x -P', { '-d': 'write' }) },
  wget: {
    operands: 'none',
    values: valued(
      '-U -t -T -Q -e -l -A -R -D -w --user-agent --header --tries --timeout ' +
        '--method --user --password --post-data --body-data --wait --level',
      {
        '-O': 'write',
        '--output-document': 'write',
        '-o': 'write',
        '--output-file': 'write',
        '-a': 'write',
        '-P': 'write',
        '--directory-prefix': 'write',
        '-i': 'read',
        '--input-file': 'read',
        '--post-file': 'read',
        '--body-file': 'read',
        '--load-cookies': 'read',
        '--save-cookies': 'write',
        '--certificate': 'read',
        '--private-key': 'read',
        '--ca-certificate': 'read',
      },
    ),
  },
  ssh: {
    operands: 'none',
    values: valued('-b -c -D -e -I -J -L -l -m -O -o -p -Q -R -W -w', {
      '-i': 'read',
      '-F': 'read',
      '-E': 'write',
      '-S': 'maybe',
    }),
  },
} satisfies Record<string, Program>)

/** Other names for these programs. */
export const ALIASES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  ripgrep: 'rg',
  fdfind: 'fd',
  bsdtar: 'tar',
  gtar: 'tar',
  gfind: 'find',
  gcp: 'cp',
  gmv: 'mv',
  grm: 'rm',
  gdd: 'dd',
} satisfies Record<string, string>)
