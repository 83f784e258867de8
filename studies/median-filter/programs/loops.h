    !$omp parallel do schedule(static) private(x, y, z, xx, yy, zz, i, j, k, list, kept)
    do z = half, n - 1 - half
      do y = half, n - 1 - half
        do x = half, n - 1 - half
          k = 0
          do zz = -half, half
            do yy = -half, half
              do xx = -half, half
                k = k + 1
                list(k) = image(x + xx, y + yy, z + zz)
              end do
            end do
          end do
          do i = 1, listed - 1
            do j = INNER_FIRST, listed
              if (list(i) < list(j)) then
                kept = list(i)
                list(i) = list(j)
                list(j) = kept
              end if
            end do
          end do
          filtered(x, y, z) = list(listed / 2 + 1)
        end do
      end do
    end do
    !$omp end parallel do
