import { statSync } from 'node:fs'
import { SHELL_SCRIPT } from '../../process/shell-process'

/** Numbers of the system calls prctl and setsid, by architecture. */
const CALLS: Partial<Record<NodeJS.Architecture, { prctl: number; setsid: number }>> = {
  x64: { prctl: 157, setsid: 112 },
  arm64: { prctl: 167, setsid: 157 },
  riscv64: { prctl: 167, setsid: 157 },
  loong64: { prctl: 167, setsid: 157 },
  ppc64: { prctl: 171, setsid: 66 },
  s390x: { prctl: 172, setsid: 66 },
}
const PERL = '/usr/bin/perl'
/** The name of its process, also while it guards what was left. At most 15 characters. */
export const SUBREAPER_NAME = 'trestle-keeper'
/** Used as the task of a subreaper that was orphaned with processes left, because its Trestle died. */
export const UNKNOWN_TASK = 'unknown'

/**
 * Waits until all processes of a task are gone, and reaps those that end. Its environment has the task's tag, so a scan
 * assigns all its descendants to the task. It must end last: a signal to the whole task must not let the others escape.
 * Its name is set by prctl because setting $0 would overwrite the memory that holds the tag.
 */
const GUARD = `# Trestle: looks after what a command has left running.
syscall $ARGV[0] + 0, 15, my $name = '${SUBREAPER_NAME}';
$SIG{$_} = 'IGNORE' for qw(TERM HUP INT QUIT);
open STDIN, '<', '/dev/null'; open my $reports, '>&=', 3; close $reports;
while ((my $pid = waitpid -1, 0) > 0 or $! == 4) {}`

/**
 * Starts shells one after the other, and adopts what they leave behind: PR_SET_CHILD_SUBREAPER makes it the parent of
 * every descendant whose own parent has ended, so that a process that has cleared its environment and left its session
 * is still found. Each line of its input is an order: \`lead TERMINAL\` starts a shell and waits for it, \`guard TASK\`
 * makes it the guard of what a shell has left. The shell reads its own order from the same pipe; an order that comes
 * too late for it is ignored. It reports \`exit CODE\`, or \`exit CODE left\` if processes are left; then it starts no
 * more shells.
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

/** A program that starts shells, with its arguments and environment. */
export interface SubreaperProgram {
  command: string
  args: string[]
  env: Record<string, string>
}

/**
 * How to start a subreaper; undefined if unavailable: it needs Linux, and Perl for system calls that Node lacks, which
 * Debian and its derivatives include. Variables that would affect Perl itself reach only what it starts.
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
