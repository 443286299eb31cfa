# A bot: one JSON message a line comes in on stdin, one goes out on stdout. `choose` is yours to change.
# What a view holds, and what actions mean, is on the page of the game: type `arena rules GAME`.
use strict;
use warnings;
use JSON::PP;    # comes with Perl

$| = 1;          # else a line waits in a buffer, and the clock runs out
my $json = JSON::PP->new->utf8->canonical;
my $side = 0;

# Answers a question with one of the legal actions; this bot takes the first.
#   $question->{view}    all that your seat may know, such as $question->{view}{hand}
#   $question->{events}  what the others did since you were last asked
sub choose {
    my ($question) = @_;
    return $question->{legal}[0];
}

sub say_it {
    my ($message) = @_;
    print $json->encode($message), "\n";
    return;
}

my %handlers = (
    start  => sub { $side = $_[0]{side} },    # has a seed for your own randomness, too
    decide => sub {
        my ($question) = @_;
        my %answer = map { $_ => $question->{$_} } qw(match turn);
        say_it({ type => 'action', %answer, action => choose($question) });
    },
    end   => sub { print STDERR "place $_[0]{places}[$side]\n" },    # stderr is kept for your eyes
    fault => sub { print STDERR "fault $_[0]{kind}: $_[0]{detail}\n" },
    bye   => sub { exit 0 },
);

# Load what you need before this line: hello says "I am ready".
say_it({ type => 'hello', protocol => 1, name => 'perl' });
while (my $line = <STDIN>) {    # ends when the arena is gone
    my $message = $json->decode($line);
    my $handler = $handlers{ $message->{type} };
    $handler->($message) if $handler;    # a type it does not know is a later arena's: to be ignored
}
