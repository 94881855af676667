"""What repeats papers: their studies, figures and peers, beside what Trunkline does. No part of the package."""
