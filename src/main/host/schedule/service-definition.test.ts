import { expect, it } from 'vitest'
import { serviceDefinition, type ServiceEnvironment } from './service-definition'

const linux: ServiceEnvironment = {
  platform: 'linux',
  userHome: '/home/ada',
  home: '/home/ada/.trestle',
  command: ['/usr/bin/node', '/opt/100% $new/cli.js', 'schedule', 'run'],
  path: '/usr/bin:/bin',
  uid: 501,
}

it('defines a systemd user unit, and quotes everything that systemd would interpret', () => {
  const { file, text, start } = serviceDefinition(linux)
  expect(file).toBe('/home/ada/.config/systemd/user/trestle-schedules.service')
  expect(text).toContain('ExecStart="/usr/bin/node" "/opt/100%% $$new/cli.js" "schedule" "run"\n')
  expect(text).toContain('Environment="TRESTLE_HOME=/home/ada/.trestle"\n')
  expect(start.at(-1)).toEqual(['systemctl', '--user', 'enable', '--now', 'trestle-schedules.service'])
})

it('gives another home its own service', () => {
  const { file } = serviceDefinition({ ...linux, home: '/srv/trestle', configHome: '/cfg' })
  expect(file).toMatch(/^\/cfg\/systemd\/user\/trestle-schedules-[0-9a-f]{8}\.service$/)
})

it('defines a launchd agent, and escapes XML characters', () => {
  const { file, text, stop } = serviceDefinition({ ...linux, platform: 'darwin', path: '/a&b' })
  expect(file).toBe('/home/ada/Library/LaunchAgents/dev.trestle.schedules.plist')
  expect(text).toContain('<string>/a&amp;b</string>')
  expect(stop).toEqual([['launchctl', 'bootout', 'gui/501/dev.trestle.schedules']])
})

it('defines a task of the Task Scheduler that starts at logon', () => {
  const { text, start } = serviceDefinition({ ...linux, platform: 'win32', home: '/ada home', userHome: '/ada' })
  expect(text).toContain('<LogonTrigger>')
  expect(text).toContain(
    '<Arguments>&quot;/opt/100% $new/cli.js&quot; schedule run --home &quot;/ada home&quot;</Arguments>',
  )
  expect(start[0]).toEqual(expect.arrayContaining(['/Create', '/XML']))
})
