import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../mail/dovecot'
import { until } from '../until'

const find = (name: string): string | undefined =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin'].map((folder) => join(folder, name)).find(existsSync)
const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'srun', 'squeue', 'scancel', 'scontrol', 'sinfo'].map(find)

/** Whether a Slurm cluster of one node can be started here. Its node starts steps only as root. */
export const hasSlurm = PROGRAMS.every((program) => program !== undefined) && process.getuid?.() === 0

/** A Slurm cluster that consists of this machine, in a temporary folder. */
export interface SlurmLab {
  /** The environment that its commands need. */
  env: Record<string, string>
  /** Runs one of its commands. */
  run(program: string, ...args: string[]): string
  /** The name of its node. */
  node: string
  log(): string
  close(): Promise<void>
}

export async function startSlurmLab({ cpus = 2 }: { cpus?: number } = {}): Promise<SlurmLab> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-slurm-'))
  const path = (name: string): string => join(folder, name)
  const [controlPort, nodePort] = [await freePort(), await freePort()]
  const node = hostname().split('.')[0]!
  for (const name of ['state', 'spool', 'munge', 'home']) mkdirSync(path(name), { mode: 0o755 })
  writeFileSync(path('munge/key'), randomBytes(128), { mode: 0o400 })
  writeFileSync(
    path('slurm.conf'),
    `
ClusterName=trestle
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${controlPort}
SlurmdPort=${nodePort}
SlurmUser=${userInfo().username}
SlurmdUser=${userInfo().username}
AuthType=auth/munge
AuthInfo=socket=${path('munge/socket')},cred_expire=6
CredType=cred/munge
StateSaveLocation=${path('state')}
SlurmdSpoolDir=${path('spool')}
SlurmctldPidFile=${path('slurmctld.pid')}
SlurmdPidFile=${path('slurmd.pid')}
SlurmctldLogFile=${path('slurmctld.log')}
SlurmdLogFile=${path('slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1
ReturnToService=1
KillWait=1
MinJobAge=3600
SlurmdTimeout=30
NodeName=${node} NodeAddr=127.0.0.1 CPUs=${cpus} RealMemory=4000 State=UNKNOWN
PartitionName=work Nodes=${node} Default=YES MaxTime=INFINITE State=UP
`,
  )
  const env = { SLURM_CONF: path('slurm.conf') }
  const children: ChildProcess[] = []
  const start = (program: string, ...args: string[]): void => {
    const child = spawn(find(program)!, args, { env: { ...process.env, ...env }, stdio: 'ignore', detached: true })
    children.push(child)
  }
  const run = (program: string, ...args: string[]): string => {
    const { stdout, stderr, status } = spawnSync(find(program) ?? program, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`${program}: ${stderr}`)
    return stdout
  }
  const log = (): string =>
    ['slurmctld.log', 'slurmd.log', 'munge/log']
      .map((name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : ''))
      .join('\n')
  const close = async (): Promise<void> => {
    for (const child of children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    start(
      'munged',
      '--foreground',
      '--force',
      `--key-file=${path('munge/key')}`,
      `--socket=${path('munge/socket')}`,
      `--pid-file=${path('munge/pid')}`,
      `--log-file=${path('munge/log')}`,
      `--seed-file=${path('munge/seed')}`,
    )
    await until(() => existsSync(path('munge/socket')), 'munge')
    start('slurmctld', '-D', '-f', path('slurm.conf'))
    start('slurmd', '-D', '-f', path('slurm.conf'), '-N', node)
    await until(
      () =>
        spawnSync(find('sinfo')!, ['-h', '-o', '%t'], {
          env: { ...process.env, ...env },
          encoding: 'utf8',
        }).stdout.trim() === 'idle',
      'an idle node',
      30_000,
    )
  } catch (error) {
    const text = log()
    await close()
    throw new Error(`Slurm did not start:\n${text}`, { cause: error })
  }
  return { env, run, node, log, close }
}
