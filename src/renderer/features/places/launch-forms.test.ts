import { expect, test } from 'vitest'
import { placeLaunch } from '../../../shared/contract/place/place'
import { LAUNCH_FORMS, readLaunchForm, suggestedName, type PlaceKind } from './launch-forms'

test.each<[PlaceKind, Record<string, string>, string]>([
  ['ssh', { host: 'ada@build.example', port: '2222' }, 'build.example'],
  ['slurm', { partition: 'gpu', time: '8:00:00', cpus: '8', memory: '32G' }, 'slurm'],
  ['docker', { container: 'box' }, 'box'],
  ['image', { image: 'ghcr.io/acme/tools:2', mount: '/srv/app' }, 'tools'],
  ['devcontainer', { folder: '/home/ada/code/shop/' }, 'shop'],
  ['kubernetes', { image: 'node:24', cpus: '2', memory: '4Gi', storage: '20Gi' }, 'node'],
  ['kubernetes', { pool: 'tools' }, 'tools'],
])('the form for %s gives a launch that the engine accepts, with a name', (kind, texts, name) => {
  const { launch, errors, error } = readLaunchForm(kind, texts, LAUNCH_FORMS[kind].perSession === true)
  expect([errors, error]).toEqual([{}, undefined])
  expect(placeLaunch.parse(launch)).toEqual(launch)
  expect(suggestedName(kind, texts)).toBe(name)
})

test.each<[PlaceKind, Record<string, string>]>([
  ['ssh', { host: '-oProxyCommand=x' }],
  ['ssh', { host: 'a b' }],
  ['slurm', { cpus: 'many' }],
  ['slurm', { memory: '32 GB' }],
  ['image', { image: '--privileged' }],
  ['image', { image: 'x', mount: 'relative' }],
  ['devcontainer', { folder: '/a,b' }],
  ['kubernetes', { image: 'x', pool: 'y' }],
  ['kubernetes', { pool: 'y', memory: '4Gi' }],
  ['kubernetes', { image: 'x', namespace: 'Upper' }],
])('invalid values for %s are rejected before they are sent', (kind, texts) => {
  const { launch, errors, error } = readLaunchForm(kind, texts, false)
  expect(launch).toBeUndefined()
  expect(Object.keys(errors).length > 0 || error !== undefined).toBe(true)
})
