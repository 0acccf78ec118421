import { options, type Program } from './program-grammar'

const FILES = { operands: ['file'] } satisfies Partial<Program>
const CHECKSUM: Program = { options: options('-b -t -z --binary --text --tag --zero'), ...FILES }
const jqFilter =
  /^(?![\s\S]*(?:\benv\b|\$ENV|\bimport\b|\binclude\b|\bmodulemeta\b|\bget_search_list\b|\binput_filename\b))/
/** `sed -n` scripts that only print: `1,20p`, `/a b/p`, `$=`. */
const SED_PRINTS =
  /^(?:(?:\d+|\$|\/[^/\\]*\/)(?:,(?:\d+|\$|\/[^/\\]*\/))?)?[p=](?:;(?:(?:\d+|\$)(?:,(?:\d+|\$))?)?[p=q])*$/

/** Programs that print files or their input. */
export const TEXT_PROGRAMS: Readonly<Record<string, Program>> = {
  cat: {
    options: options(
      '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank ' +
        '--show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    ),
    ...FILES,
    anyOption: true,
  },
  tac: { options: options('-b -r -s=text --before --regex --separator=text'), ...FILES, anyOption: true },
  head: {
    options: options('-NUM -n=number -c=number -q -v -z --lines=number --bytes=number --quiet --silent --verbose'),
    ...FILES,
    anyOption: true,
  },
  tail: {
    options: options(
      '-NUM -n=number -c=number -q -v -z -f -F -s=number ' +
        '--lines=number --bytes=number --follow[=text] --quiet --verbose',
    ),
    ...FILES,
    noPlus: true,
    anyOption: true,
  },
  nl: {
    options: options('-b=text -d=text -f=text -h=text -i=number -l=number -n=text -s=text -v=number -w=number -p'),
    ...FILES,
  },
  wc: { options: options('-l -w -c -m -L --lines --words --bytes --chars --max-line-length'), ...FILES },
  cut: {
    options: options(
      '-b=text -c=text -d=text -f=text -n -s -z --bytes=text --characters=text ' +
        '--delimiter=text --fields=text --only-delimited --complement --output-delimiter=text',
    ),
    ...FILES,
  },
  paste: { options: options('-d=text -s -z --delimiters=text --serial'), ...FILES },
  tr: {
    options: options('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1'),
    operands: ['text'],
    most: 2,
  },
  fold: { options: options('-NUM -b -s -w=number --bytes --spaces --width=number'), ...FILES },
  fmt: {
    options: options('-NUM -c -s -t -u -w=number -g=number -p=text --width=number --split-only --uniform-spacing'),
    ...FILES,
    noPlus: true,
  },
  rev: { options: options(''), ...FILES },
  column: {
    options: options(
      '-t -x -J -e -R=text -s=text -o=text -c=number -N=text -H=text -d ' +
        '--table --separator=text --output-separator=text',
    ),
    ...FILES,
  },
  expand: { options: options('-NUM -i -t=text --initial --tabs=text'), ...FILES },
  unexpand: { options: options('-a -t=text --all --first-only --tabs=text'), ...FILES },
  comm: {
    options: options('-NUM -i -z --check-order --nocheck-order --output-delimiter=text --total'),
    operands: ['file', 'file'],
    most: 2,
  },
  cmp: {
    options: options('-b -l -s -n=number -i=text --print-bytes --verbose --quiet --silent'),
    operands: ['file', 'file'],
    most: 2,
  },
  sort: {
    options: options(
      `-n -r -u -h -V -f -b -d -g -M -R -s -z -c -C -m -i -k=text -t=text -S=text --numeric-sort --reverse --unique
      --human-numeric-sort --version-sort --ignore-case --ignore-leading-blanks --dictionary-order
      --general-numeric-sort --month-sort --random-sort --stable --zero-terminated --merge --key=text
      --field-separator=text`,
    ),
    ...FILES,
    noPlus: true,
  },
  uniq: {
    options: options(
      `-c -d -D -u -i -z -f=number -s=number -w=number --count --repeated --unique --ignore-case --all-repeated[=text]
      --group[=text] --skip-fields=number --skip-chars=number --check-chars=number`,
    ),
    // A second operand is the output file.
    operands: ['file'],
    most: 1,
    noPlus: true,
    strict: true,
  },
  sed: {
    options: options('-n -E -r -s -u -z --quiet --silent --regexp-extended --separate'),
    operands: [SED_PRINTS, 'file'],
    least: 1,
    reads: ({ options: given, operands }) => {
      const [script, ...files] = operands
      const quiet = given.some(({ name }) => /^(?:-n|--quiet|--silent)$/.test(name))
      if (!quiet || !script?.known || !SED_PRINTS.test(script.text)) return undefined
      return files.filter(({ text }) => text !== '-').map((word) => ({ ...word, covers: 'file' }))
    },
  },
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha224sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha384sum: CHECKSUM,
  sha512sum: CHECKSUM,
  b2sum: CHECKSUM,
  cksum: { options: options(''), ...FILES },
  od: {
    options: options(
      '-a -b -c -d -f -i -l -o -s -x -v -A=text -j=text -N=text -t=text -w[text] -S=text ' +
        '--address-radix=text --format=text',
    ),
    ...FILES,
    noPlus: true,
  },
  hexdump: {
    options: options('-b -c -C -d -o -x -v -n=text -s=text -e=text --canonical --length=text --skip=text'),
    ...FILES,
  },
  xxd: {
    options: options('-b -e -i -p -u -c=number -g=number -l=number -s=number -o=number'),
    // A second operand is the output file.
    operands: ['file'],
    most: 1,
    strict: true,
  },
  strings: {
    options: options(
      '-a -f -n=number -t=text -e=text -w --all --bytes=number --radix=text --encoding=text --print-file-name',
    ),
    reads: ({ operands }) =>
      // `@file` reads options from that file.
      operands.some(({ text }) => text.startsWith('@'))
        ? undefined
        : operands.map((word) => ({ ...word, covers: 'file' })),
  },
  jq: {
    options: options(
      `-r -c -n -s -S -e -M -C -a -j -R --raw-output --compact-output --null-input --slurp --sort-keys --exit-status
      --monochrome-output --color-output --ascii-output --join-output --raw-input --tab --indent=number --seq --stream`,
    ),
    operands: [jqFilter, 'file'],
    least: 1,
  },
}
