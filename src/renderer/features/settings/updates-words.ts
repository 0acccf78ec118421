import type { UpdatesView } from '../../../shared/model/updates'

/** One sentence about where updates stand, and what a pending one waits for. */
export function stateWords({ installed, state }: UpdatesView): string {
  switch (state.kind) {
    case 'unavailable':
      return `Version ${installed} is installed. ${state.reason}`
    case 'current':
      if (state.problem) return `Version ${installed} is installed.`
      return state.checkedAt === undefined ? `Version ${installed} is installed.` : `Version ${installed} is up to date.`
    case 'checking':
      return 'Checking for updates…'
    case 'available':
      return `Version ${state.release.version} is available. Version ${installed} is installed.`
    case 'downloading':
      return `Downloading version ${state.release.version}… ${state.percent}%`
    default: {
      const ready = `Version ${state.release.version} is ready to install.`
      if (!state.whenIdle) return `${ready} It will be installed when you close Trestle.`
      return state.waitsFor === null ? `${ready} Restarting…` : `${ready} Trestle restarts when nothing is running: ${state.waitsFor}.`
    }
  }
}
