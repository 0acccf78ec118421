import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** The input for a service definition. */
export interface ServiceEnvironment {
  platform: NodeJS.Platform
  /** The user's home folder. */
  userHome: string
  /** `$XDG_CONFIG_HOME`, if it is set. */
  configHome?: string | undefined
  /** TRESTLE_HOME, as a real path. */
  home: string
  /** The program to run, with its arguments. */
  command: readonly string[]
  /** The PATH for the agents' commands. */
  path: string
  /** The user's id, for launchd. */
  uid: number
}

/** A service that runs the schedules of a home in the background, defined for this system. */
export interface ServiceDefinition {
  /** Path of the definition file. */
  file: string
  text: string
  /** The commands that start it now and enable it for every login. */
  start: readonly (readonly string[])[]
  /** The commands that stop it, before the file is deleted. */
  stop: readonly (readonly string[])[]
  /** The name of the service system, for users. */
  system: string
}

/** The service for this system: a systemd user unit, a launchd agent, or a task of the Task Scheduler. */
export function serviceDefinition(env: ServiceEnvironment): ServiceDefinition {
  if (env.platform === 'darwin') return launchAgent(env)
  return env.platform === 'win32' ? scheduledTask(env) : systemdUnit(env)
}

/** Homes other than the default have their own services. */
function nameFor({ home, userHome }: ServiceEnvironment, base: string): string {
  if (home === join(userHome, '.trestle')) return base
  return `${base}-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`
}

function systemdUnit(env: ServiceEnvironment): ServiceDefinition {
  const unit = `${nameFor(env, 'trestle-schedules')}.service`
  const folder = join(env.configHome || join(env.userHome, '.config'), 'systemd', 'user')
  const text = `[Unit]
Description=Trestle schedules
Documentation=https://trestle.dev

[Service]
ExecStart=${env.command.map(systemdWord).join(' ')}
Environment=${systemdWord(`TRESTLE_HOME=${env.home}`)}
Environment=${systemdWord(`PATH=${env.path}`)}
Restart=on-failure
RestartSec=30

[Install]
WantedBy=default.target
`
  return {
    file: join(folder, unit),
    text,
    start: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', '--now', unit],
    ],
    stop: [['systemctl', '--user', 'disable', '--now', unit]],
    system: 'a systemd user unit',
  }
}

/** A quoted argument for systemd, which interprets `%` and `$`. */
function systemdWord(word: string): string {
  return `"${word.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$').replaceAll('\n', '\\n')}"`
}

function launchAgent(env: ServiceEnvironment): ServiceDefinition {
  const label = nameFor(env, 'dev.trestle.schedules')
  const file = join(env.userHome, 'Library', 'LaunchAgents', `${label}.plist`)
  const words = env.command.map((word) => `    <string>${xml(word)}</string>`).join('\n')
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>TRESTLE_HOME</key>
    <string>${xml(env.home)}</string>
    <key>PATH</key>
    <string>${xml(env.path)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
</dict>
</plist>
`
  const domain = `gui/${env.uid}`
  return {
    file,
    text,
    start: [['launchctl', 'bootstrap', domain, file]],
    stop: [['launchctl', 'bootout', `${domain}/${label}`]],
    system: 'a launchd agent',
  }
}

function scheduledTask(env: ServiceEnvironment): ServiceDefinition {
  const name = nameFor(env, 'Trestle schedules')
  const file = join(env.home, 'schedules-task.xml')
  const [program = '', ...words] = env.command
  // A task cannot set environment variables.
  const given = [...words, '--home', env.home].map(windowsWord).join(' ')
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Runs the schedules of Trestle.</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>999</Count>
    </RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>${xml(program)}</Command>
      <Arguments>${xml(given)}</Arguments>
    </Exec>
  </Actions>
</Task>
`
  return {
    file,
    text,
    start: [
      ['schtasks', '/Create', '/TN', name, '/XML', file, '/F'],
      ['schtasks', '/Run', '/TN', name],
    ],
    stop: [
      ['schtasks', '/End', '/TN', name],
      ['schtasks', '/Delete', '/TN', name, '/F'],
    ],
    system: 'a task of the Task Scheduler',
  }
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** An argument quoted for Windows programs. */
function windowsWord(word: string): string {
  if (word !== '' && !/[\s"]/.test(word)) return word
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')}"`
}
