import { describe, expect, it } from 'vitest'
import { outlineOf } from './outline'
import { cpuMs } from '../../../../../test/support/cpu-time'

const names = (path: string, text: string): string[] | undefined =>
  outlineOf(path, text.split('\n'))?.map(({ name, kind, depth }) => `${' '.repeat(depth)}${kind} ${name}`)

describe('the outline of a file', () => {
  it('has the classes, functions and types of TypeScript', () => {
    const text = `export interface Shape {
  area(): number
}
export abstract class Circle<T> implements Shape {
  readonly r = 1
  async area(): Promise<number> {
    if (this.r > 0) {
      return 1
    }
  }
}
export const double = (n: number): number => n * 2
export const LIMIT = 3
type Id = string
export async function* walk(): AsyncGenerator<void> {}`
    expect(names('a.ts', text)).toEqual([
      'type Shape',
      'class Circle',
      ' method area',
      'function double',
      'value LIMIT',
      'type Id',
      'function walk',
    ])
  })

  it.each([
    [
      'a.py',
      'class A(B):\n    def run(self):\n        pass\nasync def go():\n    pass',
      ['class A', ' function run', 'function go'],
    ],
    ['a.go', 'type T struct {}\nfunc (t *T) Run() {}\nfunc main() {}', ['type T', 'method Run', 'function main']],
    ['a.rs', 'pub struct S;\nimpl S {\n    pub fn run(&self) {}\n}', ['type S', 'class S', ' function run']],
    ['A.java', 'public class A {\n  public int size() {\n    return x();\n  }\n}', ['class A', ' method size']],
    ['a.rb', 'module M\n  class A\n    def run?\n', ['type M', ' class A', '  method run?']],
    ['a.sh', 'run() {\n}\nfunction go {\n}', ['function run', 'function go']],
    ['a.toml', '[a]\nx = 1\n[[b.c]]', ['section a', 'section b.c']],
    ['Makefile', 'all: build\n\tcc\nX := 1', ['section all']],
  ])('knows %s', (path, text, expected) => {
    expect(names(path, text)).toEqual(expected)
  })

  it('has the headings of Markdown, without lookalikes in code', () => {
    expect(names('a.md', '# One\n```sh\n# no heading\n```\n## Two ##\n# Three')).toEqual([
      'section One',
      ' section Two',
      'section Three',
    ])
  })

  it('is unknown for other files, and a hostile line takes no time', () => {
    expect(names('a.bin', 'x')).toBeUndefined()
    const start = cpuMs()
    expect(names('a.ts', `${'('.repeat(390)}\n`.repeat(200))).toEqual([])
    expect(names('a.java', `${'a '.repeat(199)}\n`.repeat(200))).toEqual([])
    expect(cpuMs() - start).toBeLessThan(5000)
  })
})
