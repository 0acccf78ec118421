import { statSync } from 'node:fs'
import { SHELL_SCRIPT } from '../../process/shell-process'

/** Numbers of the calls prctl and setsid, by architecture. */
const CALLS: Partial<Record<NodeJS.Architecture, { prctl: number; setsid: number }>> = {
  x64: { prctl: 157, setsid: 112 },
  arm64: { prctl: 167, setsid: 157 },
  riscv64: { prctl: 167, setsid: 157 },
  loong64: { prctl: 167, setsid: 157 },
  ppc64: { prctl: 171, setsid: 66 },
  s390x: { prctl: 172, setsid: 66 },
}
const PERL = '/usr/bin/perl'
/** The name of its process, also while it looks after what was left. No longer than the system keeps. */
export const SUBREAPER_NAME = 'trestle-keeper'
/** Names the task of what a keeper was left with when it could not be told: its Trestle had died. */
export const UNKNOWN_TASK = 'unknown'

/**
 * Waits until nothing of a task is left, and collects what ends. In its environment is the mark of the task, so a search takes all that is below it for the task's. It ends
 * with the last of them and not before (its name is set by prctl: to set $0 would take the memory in which the mark is): a signal to all of the task must not let the others get away.
 */
const GUARD = `# Trestle: looks after what a command has left running.
syscall $ARGV[0] + 0, 15, my $name = '${SUBREAPER_NAME}';
$SIG{$_} = 'IGNORE' for qw(TERM HUP INT QUIT);
open STDIN, '<', '/dev/null'; open my $reports, '>&=', 3; close $reports;
while ((my $pid = waitpid -1, 0) > 0 or $! == 4) {}`

/**
 * Starts leaders one after the other, and adopts what they leave: PR_SET_CHILD_SUBREAPER makes it the parent of every process below it whose own parent has ended, so
 * that a process which has cleared its environment and left its session is still found. Each line of its input is an order: \`lead TERMINAL\` starts a leader and waits for
 * it, \`guard TASK\` makes it the guard of what a leader has left. The leader reads its own order from the same pipe; what comes too late for it is passed over. It reports
 * \`exit CODE\`, and \`exit CODE left\` when something is left; then it leads no more.
 */
const SUBREAPER = `# Trestle: starts commands, and adopts what they leave running.
$^F = 10;
my ($prctl, $setsid, $leader, $guard, @environment) = @ARGV;
/^([^=]+)=(.*)/s and $ENV{$1} = $2 for @environment;
syscall $prctl + 0, 36, 1, 0, 0, 0;
syscall $prctl + 0, 15, my $name = '${SUBREAPER_NAME}';
open my $reports, '>&=', 3;
$SIG{PIPE} = 'IGNORE';
my $left = 0;
sub guard {
  %ENV = (TRESTLE_TASK => $_[0], defined $ENV{TRESTLE_CUSTODY} ? (TRESTLE_CUSTODY => $ENV{TRESTLE_CUSTODY}) : ());
  exec $^X, '-e', $guard, $prctl;
}
sub lead {
  my $pid = fork;
  if (defined $pid && !$pid) {
    $SIG{PIPE} = 'DEFAULT';
    syscall $setsid + 0;
    open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null';
    exec '/bin/sh', '-c', $leader, 'trestle', $_[0];
    exit 127;
  }
  my $code = 1;
  while (defined $pid) {
    my $got = waitpid -1, 0;
    next if $got < 0 && $! == 4;
    $code = $? & 127 ? 128 + ($? & 127) : $? >> 8 if $got == $pid;
    last if $got == $pid || $got < 0;
  }
  my $got;
  1 while ($got = waitpid -1, 1) > 0;
  $left = $got == 0;
  syswrite $reports, "exit $code" . ($left ? ' left' : '') . "\\n";
}
my $line = '';
for (;;) {
  my $count = sysread STDIN, my $char, 1;
  next if !defined $count && $! == 4;
  last if !$count;
  if ($char ne "\\n") { $line .= $char; next }
  if ($line =~ /^lead (.+)/ && !$left) { lead($1) }
  elsif ($line =~ /^guard (\\S+)/) { guard($1) }
  $line = '';
}
guard('${UNKNOWN_TASK}') if $left;`

/** A program that starts leaders, with its arguments and environment. */
export interface SubreaperProgram {
  command: string
  args: string[]
  env: Record<string, string>
}

/**
 * How to start a keeper; undefined where there is none: it needs Linux and Perl, which Node's own calls cannot replace and which belongs to the base of Debian and what comes
 * from it. Variables that would change Perl itself reach only what it starts.
 */
export function subreaperProgram(env: Record<string, string>): SubreaperProgram | undefined {
  const calls = process.platform === 'linux' ? CALLS[process.arch] : undefined
  if (!calls || !statSync(PERL, { throwIfNoEntry: false })?.isFile()) return undefined
  const own = Object.entries(env).filter(([name]) => name.startsWith('PERL'))
  const args = [
    '-e',
    SUBREAPER,
    String(calls.prctl),
    String(calls.setsid),
    SHELL_SCRIPT,
    GUARD,
    ...own.map(([name, value]) => `${name}=${value}`),
  ]
  return {
    command: PERL,
    args,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PERL'))),
  }
}
