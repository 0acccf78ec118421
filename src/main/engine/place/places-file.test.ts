import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { required } from '../../../../test/support/required'
import { tempFolder } from '../../../../test/support/temp-folder'
import type { Place } from '../../../shared/model/place/place'
import { identityOf } from '../process/process-identity'
import { openPlacesFile } from './places-file'

const place = (placeId: string): Place => ({ placeId, launch: { kind: 'ssh', host: 'example.org' }, addedAt: 1 })
const names = (home: string): string[] =>
  openPlacesFile(home)
    .list()
    .map(({ placeId }) => placeId)

/** Another process of the home: takes the lock, reads, and writes a little later. */
const OTHER = `
const fs = require('node:fs')
const [path, added] = process.argv.slice(1)
process.stdin.once('data', (identity) => {
  fs.writeFileSync(path + '.lock', identity, { flag: 'wx' })
  const contents = JSON.parse(fs.readFileSync(path, 'utf8'))
  process.stdout.write('read')
  setTimeout(() => {
    contents.places.push(JSON.parse(added))
    fs.writeFileSync(path, JSON.stringify(contents))
    fs.rmSync(path + '.lock')
    process.exit()
  }, 100)
})`

test('a place that another process adds at the same time is kept', async () => {
  const home = await tempFolder()
  const places = openPlacesFile(home)
  places.add(place('first'))
  const args = ['-e', OTHER, join(home, 'places.json'), JSON.stringify(place('theirs'))]
  const other = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(other, 'exit')
  other.stdin.write(JSON.stringify(identityOf(required(other.pid, 'a pid'))))
  await once(other.stdout, 'data')
  places.add(place('ours'))
  await ended
  expect(names(home)).toEqual(['first', 'theirs', 'ours'])
})

test('names are compared case-insensitively, also when a place is restored', async () => {
  const home = await tempFolder()
  const places = openPlacesFile(home)
  places.add(place('box'))
  expect(() => places.add(place('BOX'))).toThrow(expect.objectContaining({ code: 'place.taken' }))
  places.remove('box')
  places.add(place('BOX'))
  expect(() => places.restore('box')).toThrow(expect.objectContaining({ code: 'place.taken' }))
  places.remove('BOX')
  expect(places.restore('box').placeId).toBe('box')
  expect(names(home)).toEqual(['box'])
})

test('the id of this home never changes, and reading it writes the file only once', async () => {
  const home = await tempFolder()
  const id = openPlacesFile(home).clientId()
  const { ino } = statSync(join(home, 'places.json'))
  expect(openPlacesFile(home).clientId()).toBe(id)
  expect(statSync(join(home, 'places.json')).ino).toBe(ino)
  expect(readdirSync(home)).toEqual(['places.json'])
})

test('a session counts as moved only if the move was noted, whatever its name is', async () => {
  const places = openPlacesFile(await tempFolder())
  places.noteMove('session-1', 'box')
  expect(['session-1', 'session-2', 'constructor', '__proto__'].map((id) => places.movedTo(id))).toEqual([
    'box',
    undefined,
    undefined,
    undefined,
  ])
  places.noteMove('session-1', null)
  expect(places.movedTo('session-1')).toBeUndefined()
})

test('a damaged file is reported, and never replaced', async () => {
  const home = await tempFolder()
  const text = '{"version":1,"clientId":"x"'
  writeFileSync(join(home, 'places.json'), text)
  const places = openPlacesFile(home)
  const unreadable = expect.objectContaining({ code: 'store.unreadable' })
  for (const work of [() => places.list(), () => places.add(place('box')), () => places.clientId()])
    expect(work).toThrow(unreadable)
  expect(readFileSync(join(home, 'places.json'), 'utf8')).toBe(text)
})
