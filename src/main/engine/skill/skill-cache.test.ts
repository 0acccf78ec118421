import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { ReadSkill } from './read-skill'
import { openSkillCache } from './skill-cache'

test.each(['', '{', 'null', '{"version":1,"entries":[null,1,["a"],["a",null],["a",{"mtimeMs":1}]]}'])(
  'a cache file with %j counts as empty, and is written again',
  async (text) => {
    const file = join(await tempFolder(), 'skills.json')
    writeFileSync(file, text)
    const stat = statSync(file)
    const cache = await openSkillCache(file)
    expect(cache.get('a', stat)).toBeUndefined()
    const read = { problems: [] } as unknown as ReadSkill
    cache.set('a', stat, read)
    await cache.keep()
    expect((await openSkillCache(file)).get('a', stat)).toEqual(read)
  },
)
