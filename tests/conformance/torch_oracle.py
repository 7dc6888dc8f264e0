"""What torch says a result must be, and how far an honest f32 answer may be from it.

The samples draw numbers of up to 9 and scores reach hundreds, so some results are badly conditioned: torch's own f32
answer misses its own float64 answer by up to 15 times torch's own tolerance. So beside the tolerance every value may
move as far as the exact one moves when each input number changes by no more than half a unit in its last place, which
is what rounding it to f32 does.
"""

import torch

from case_file import Case

DRAWS = 16
HALF_UNIT = 2.0**-24


def unchanged(argument):
    return argument


def in_float64(argument):
    return argument.double() if torch.is_tensor(argument) and argument.is_floating_point() else argument


def disturbed(argument):
    exact = in_float64(argument)
    if exact is argument:
        return argument
    return exact * (1 + HALF_UNIT * (2 * torch.rand_like(exact) - 1))


def add_outputs(case: Case, answer, views: dict) -> None:
    """answer(convert) is torch's results by name when every argument of its call has gone through convert."""
    exact, own = answer(in_float64), answer(unchanged)
    moved = [answer(disturbed) for _ in range(DRAWS)]
    for name, wanted in exact.items():
        if not wanted.isfinite().all():
            raise ValueError(f"{case.file_name}: torch's {name} is not finite, and torch is no oracle for such rows")
        spread = torch.stack([results[name] - wanted for results in moved]).abs().amax(0)
        missed = ((own[name] - wanted).abs() > case.atol + case.rtol * wanted.abs()).any().item()
        case.add_output(name, wanted.float().numpy(), views[name])
        case.allow_spread(name, spread.numpy(), missed)
