import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { hasSshd, startSshLab } from '../support/place/ssh-lab'
import { tellStories } from '../support/place/stories'

vi.setConfig({ testTimeout: 180_000 })

tellStories('this machine', {
  async open(lab, link, app) {
    lab.program = app.program
    await link.client.engine.status()
    const proxy = await lab.proxy()
    return {
      home: lab.home,
      folder: lab.scratch.project,
      cut: () => proxy.cut(),
      close: () => Promise.resolve(),
    }
  },
})

tellStories('a machine behind ssh', {
  skip: !hasSshd,
  async open(_lab, { client }, app) {
    const ssh = await startSshLab()
    const placeId = 'lab'
    const launch = { kind: 'ssh' as const, host: 'lab', configFile: ssh.configFile }
    app.writeCommand(ssh.program)
    await client.place.add({ placeId, launch, program: ssh.program })
    await client.place.connect({ placeId })
    const folder = join(ssh.home, 'app')
    mkdirSync(folder)
    return { placeId, home: join(ssh.home, '.trestle'), folder, cut: () => ssh.cut(), close: () => ssh.close() }
  },
})
