/** Two soft tones, half a second: heard beside music, not over it. */
const TONES = [
  { hertz: 660, at: 0 },
  { hertz: 880, at: 0.16 },
]
const LOUDNESS = 0.06
const LENGTH_S = 0.4

let context: AudioContext | undefined

/** Plays the sound of a request. Does nothing where the browser allows no sound before the page was clicked. */
export async function chime(): Promise<void> {
  try {
    context ??= new AudioContext()
    await context.resume()
    for (const { hertz, at } of TONES) {
      const start = context.currentTime + at
      const loudness = context.createGain()
      loudness.gain.setValueAtTime(0, start)
      loudness.gain.linearRampToValueAtTime(LOUDNESS, start + 0.02)
      loudness.gain.exponentialRampToValueAtTime(0.0001, start + LENGTH_S)
      loudness.connect(context.destination)
      const tone = new OscillatorNode(context, { frequency: hertz })
      tone.connect(loudness)
      tone.start(start)
      tone.stop(start + LENGTH_S)
    }
  } catch {
    // No sound here: the title and the notification say the same.
  }
}
