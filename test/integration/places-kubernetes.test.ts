import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ClusterSandbox } from '../../src/main/engine/place/kubernetes/cluster-sandbox'
import { Cluster } from '../../src/main/engine/place/kubernetes/cluster'
import { createKubernetesShell } from '../../src/main/engine/place/kubernetes/kubernetes-launcher'
import type { PlaceShell, PrepareOptions } from '../../src/main/engine/place/launcher/launcher'
import { downloadFile, uploadFile } from '../../src/main/engine/place/ssh/shell-copy'
import { runScript } from '../../src/main/engine/place/launcher/shell-run'
import type { LaunchOf } from '../../src/shared/model/place/place'
import { canMakeCertificates } from '../support/certificate'
import { startClusterDouble, status, type ClusterDouble, type ClusterThing } from '../support/place/cluster-double'
import { startModelServer, type ModelServer } from '../support/model-server'
import { rejection } from '../support/required'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'

const CLI = join(import.meta.dirname, '../../out/main/cli.js')
const LOOKS = [1, 5] as const

/** These tests run without a cluster: a stand-in for its API server returns the answers recorded in its sources. */
describe.skipIf(!canMakeCertificates)('a Sandbox of a Kubernetes cluster', () => {
  let cluster: ClusterDouble
  let scratch: Scratch
  beforeAll(async () => {
    cluster = await startClusterDouble()
    scratch = createScratch({})
  })
  beforeEach(() => {
    cluster.refuse = undefined
    cluster.schedule = cluster.makeReady
    cluster.protocol = 'v5.channel.k8s.io'
    cluster.objects.clear()
    cluster.requests.length = 0
  })
  afterAll(async () => {
    await cluster.close()
    scratch.remove()
  })

  const launchOf = (fields: Partial<LaunchOf<'kubernetes'>> = {}): LaunchOf<'kubernetes'> => ({
    kind: 'kubernetes',
    configFile: cluster.kubeconfig,
    ...('pool' in fields ? {} : { image: 'node:24' }),
    ...fields,
  })
  const shellOf = (fields: Partial<LaunchOf<'kubernetes'>> = {}): PlaceShell =>
    createKubernetesShell(launchOf(fields), 'trestle-box', LOOKS)
  const readied = async (fields: Partial<LaunchOf<'kubernetes'>> = {}, given: PrepareOptions = {}) => {
    const shell = shellOf(fields)
    await shell.ready!(given)
    return shell
  }
  const mode = (): unknown => cluster.objects.get(SANDBOX)?.spec?.['operatingMode']
  const SANDBOX = '/apis/agents.x-k8s.io/v1beta1/namespaces/agents/sandboxes/trestle-box'

  it('is created with its image, cores, memory, volume and runtime class, without a cluster token', async () => {
    await readied({ cpus: 2, memory: '4Gi', storage: '20Gi', runtimeClass: 'gvisor' })
    const { metadata, spec } = cluster.objects.get(SANDBOX)!
    expect(metadata?.labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'trestle' })
    const { podTemplate, volumeClaimTemplates } = spec as {
      podTemplate: { spec: object }
      volumeClaimTemplates: object[]
    }
    expect(podTemplate.spec).toMatchObject({
      automountServiceAccountToken: false,
      runtimeClassName: 'gvisor',
      containers: [
        { image: 'node:24', resources: { limits: { cpu: '2', memory: '4Gi' } }, volumeMounts: [{ name: 'home' }] },
      ],
    })
    expect(volumeClaimTemplates).toMatchObject([{ spec: { resources: { requests: { storage: '20Gi' } } } }])
  })

  it('runs scripts with their output, errors and exit code, including long ones and those with much input', async () => {
    const shell = await readied()
    expect(await runScript(shell, 'echo out; echo err >&2; exit 7')).toEqual({
      exitCode: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    })
    const long = `# ${'x'.repeat(20_000)}\necho "$((6 * 7))"; cat`
    const { stdout } = await runScript(shell, long)
    expect(stdout).toBe('42\n')
    const file = join(scratch.project, 'big')
    const bytes = Buffer.alloc(3 << 20, 'some text that is repeated, ')
    writeFileSync(file, bytes)
    await uploadFile(shell, file, join(cluster.home, 'big'))
    expect(readFileSync(join(cluster.home, 'big')).equals(bytes)).toBe(true)
    await downloadFile(shell, join(cluster.home, 'big'), join(scratch.project, 'back'), { bytes: bytes.length })
    expect(readFileSync(join(scratch.project, 'back')).equals(bytes)).toBe(true)
  })

  it('is taken from a pool with a claim', async () => {
    cluster.schedule = (claim, path) => {
      expect(path).toContain('/sandboxclaims/trestle-box')
      const warm = { metadata: { name: 'warm-7', namespace: 'agents', annotations: {} } }
      cluster.objects.set(SANDBOX.replace('trestle-box', 'warm-7'), warm)
      cluster.makeReady(warm)
      claim.status = { sandbox: { name: 'warm-7' }, conditions: [{ type: 'Ready', status: 'True' }] }
    }
    const shell = await readied({ pool: 'tools' })
    expect((await runScript(shell, 'echo hi')).stdout).toBe('hi\n')
    expect(cluster.requests.at(-1)).toBe('GET /api/v1/namespaces/agents/pods/warm-7/exec')
  })

  it('waits for a pending Sandbox, with the reason from the scheduler', async () => {
    const told: string[] = []
    cluster.schedule = (sandbox) => {
      const message = '0/3 nodes are available: 3 Insufficient cpu.'
      sandbox.status = {
        conditions: [
          { type: 'Ready', status: 'False', reason: 'DependenciesNotReady', message: '' },
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
        ],
      }
    }
    const progress = (text: string): void => {
      told.push(text)
      cluster.makeReady(cluster.objects.get(SANDBOX)!)
    }
    await readied({}, { progress })
    expect(told).toEqual(['Pod trestle-box is pending (Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.)'])
  })

  it('that cannot start is reported with the reason, and is not waited for any longer', async () => {
    const waiting = (reason: string, message: string) => (sandbox: ClusterThing) => {
      cluster.objects.set('/api/v1/namespaces/agents/pods/trestle-box', {
        status: { phase: 'Pending', containerStatuses: [{ state: { waiting: { reason, message } } }] },
      })
      sandbox.status = { conditions: [] }
    }
    cluster.schedule = waiting('ImagePullBackOff', 'Back-off pulling image "node:24"')
    expect(await rejection(readied())).toMatchObject({
      code: 'place.setup',
      message: expect.stringContaining('The image node:24 cannot be pulled (ImagePullBackOff): Back-off pulling'),
    })
    cluster.objects.clear()
    cluster.schedule = waiting('CrashLoopBackOff', 'back-off 10s')
    expect(await rejection(readied())).toMatchObject({ message: expect.stringContaining('It needs sh.') })
    cluster.objects.clear()
    cluster.schedule = (sandbox) => {
      sandbox.status = {
        conditions: [{ type: 'Ready', status: 'False', reason: 'SandboxExpired', message: 'over' }],
      }
    }
    expect(await rejection(readied())).toMatchObject({ message: expect.stringContaining('(SandboxExpired): over') })
  })

  it('says what is missing: a kubeconfig, a context, a login, rights, a namespace, agent-sandbox, a newer cluster', async () => {
    const reason = async (fields: Partial<LaunchOf<'kubernetes'>> = {}): Promise<string> => {
      const error = (await rejection(readied(fields))) as { code: string; message: string }
      expect(error.code).toBe('place.setup')
      return error.message
    }
    vi.stubEnv('HOME', scratch.project)
    vi.stubEnv('KUBECONFIG', '')
    const { configFile: _configFile, ...without } = launchOf()
    const none = createKubernetesShell(without, 'trestle-box')
    expect(await rejection(none.ready!({}))).toMatchObject({
      message: expect.stringMatching(/^There is no kubeconfig/),
    })
    vi.unstubAllEnvs()
    const missing = join(scratch.project, 'missing')
    expect(await reason({ configFile: missing })).toBe(`There is no kubeconfig ${missing}.`)
    const broken = join(scratch.project, 'broken')
    writeFileSync(broken, 'clusters: [')
    expect(await reason({ configFile: broken })).toMatch(/^The kubeconfig cannot be read: /)
    writeFileSync(broken, 'apiVersion: v1\n')
    expect(await reason({ configFile: broken })).toMatch(/^The kubeconfig has no current context/)
    expect(await reason({ context: 'other' })).toBe('The kubeconfig has no context other. It has: lab.')
    const foreign = join(scratch.project, 'foreign')
    writeFileSync(foreign, readFileSync(cluster.kubeconfig, 'utf8').replace('token-of', 'another-token-of'))
    expect(await reason({ configFile: foreign })).toMatch(/^The cluster did not accept your login/)
    const refusals: [{ status: number; body: string }, RegExp][] = [
      [
        status(403, 'Forbidden', 'sandboxes.agents.x-k8s.io is forbidden: User "ada" cannot get resource "sandboxes"'),
        /User "ada" cannot get .*create pods\/exec, in the namespace agents/,
      ],
      [status(404, 'NotFound', 'namespaces "agents" not found'), /no namespace agents/],
      [{ status: 404, body: '404 page not found\n' }, /has no agent-sandbox.*github\.com\/kubernetes-sigs/],
      [status(422, 'Invalid', 'spec.image: Invalid value'), /refused it: spec\.image/],
    ]
    for (const [refused, text] of refusals) {
      cluster.refuse = () => refused
      expect(await reason()).toMatch(text)
    }
    cluster.refuse = undefined
    cluster.protocol = 'v4.channel.k8s.io'
    const shell = await readied()
    expect(await rejection(runScript(shell, 'true'))).toMatchObject({ message: expect.stringContaining('1.30') })
  })

  it('distinguishes a refused command, a lost connection and a missing cluster', async () => {
    const shell = await readied()
    cluster.refuse = (request) =>
      request.endsWith('/exec') ? status(403, 'Forbidden', 'cannot create resource "pods/exec"') : undefined
    expect(await rejection(runScript(shell, 'true'))).toMatchObject({ code: 'place.setup' })
    cluster.refuse = undefined
    const channel = shell.start('echo started; sleep 60')
    for await (const chunk of channel.output) {
      expect(String(chunk)).toBe('started\n')
      cluster.cut()
    }
    expect(await channel.ended).toEqual({ exitCode: 255, signal: null })
    expect(channel.errors()).toContain('The connection to the pod was lost.')
    const gone = join(scratch.project, 'gone')
    writeFileSync(gone, readFileSync(cluster.kubeconfig, 'utf8').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'))
    expect(await rejection(readied({ configFile: gone }))).toMatchObject({ code: 'place.unreachable' })
  })

  it('is not created or resumed by an automatic attempt', async () => {
    expect(await rejection(readied({}, { isAutomatic: true }))).toMatchObject({ code: 'place.stopped' })
    expect(cluster.requests.filter((line) => !line.startsWith('GET'))).toEqual([])
    const shell = await readied({ storage: '1Gi' })
    await shell.stop!()
    expect(mode()).toBe('Suspended')
    expect(await rejection(readied({ storage: '1Gi' }, { isAutomatic: true }))).toMatchObject({
      message: expect.stringContaining('is suspended'),
    })
    await readied({ storage: '1Gi' })
    expect(mode()).toBe('Running')
  })

  it('is left alone if something else created it, and is not stopped without a volume', async () => {
    cluster.objects.set(SANDBOX, { metadata: { name: 'trestle-box' }, spec: {} })
    expect(await rejection(readied())).toMatchObject({ message: expect.stringContaining('that Trestle did not make') })
    const sandbox = new ClusterSandbox(await Cluster.open(launchOf()), launchOf(), 'trestle-box', LOOKS)
    expect(await rejection(sandbox.remove())).toMatchObject({ code: 'place.setup' })
    expect(cluster.objects.has(SANDBOX)).toBe(true)
    cluster.objects.clear()
    const shell = await readied()
    await shell.stop!()
    expect(mode()).toBe('Running')
    expect(await shell.remove!()).toEqual(['Sandbox trestle-box'])
    expect(cluster.objects.has(SANDBOX)).toBe(false)
  })

  describe('as a place', () => {
    let server: ModelServer
    beforeAll(async () => {
      server = await startModelServer({ script: (_request, index) => ({ text: `Answer ${index + 1}.` }) })
      writeConfig(scratch.home, configFor(server.baseUrl))
      mkdirSync(join(cluster.home, 'app'))
      writeFileSync(join(cluster.home, 'trestle'), `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`, {
        mode: 0o755,
      })
    })
    afterAll(() => server.close())
    const run = (...args: string[]) => runCli(args, { home: scratch.home, cwd: scratch.project })

    it('answers with the key of the model kept here, and each session can have a Sandbox of its own', async () => {
      const options = ['--image', 'node:24', '--kubeconfig', cluster.kubeconfig, '--no-keep-running']
      const more = ['--program', '~/trestle', '--name', 'box', '--per-session']
      const added = await run('place', 'add', 'kubernetes', ...options, ...more)
      expect(added.stdout + added.stderr).toContain('ok     Engine: The engine answers')
      expect(added.stdout).toContain('Note: Kubernetes is tested against a recorded API server only.')
      const printed = await run('-p', 'what is here?', '--place', 'box', '--cwd', '~/app')
      expect(printed).toMatchObject({ code: 0, stdout: 'Answer 1.\n' })
      const list = JSON.parse((await run('place', 'list', '--json')).stdout) as { placeId: string; parent?: string }[]
      expect(list).toMatchObject([
        { placeId: 'box' },
        { placeId: expect.stringMatching(/^box-[0-9a-f]{6}$/), parent: 'box' },
      ])
      const own = list[1]!.placeId
      expect([...cluster.objects.keys()].filter((path) => path.includes('/sandboxes/'))).toHaveLength(2)
      const removed = await run('place', 'remove', own, '--delete')
      expect(removed.stdout).toMatch(new RegExp(`^Removed ${own}\\. Deleted: Sandbox trestle-${own}-`))
      expect([...cluster.objects.keys()].filter((path) => path.includes('/sandboxes/'))).toHaveLength(1)
    })
  })
})
